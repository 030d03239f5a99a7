// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import org.netserv.gist.port.DatagramPort;
import org.netserv.gist.port.LocalNetwork;

/** The way out of a node: its messages, its datagrams, and the port and addresses they leave by. */
final class Outbox {
  final Messages messages;
  final DatagramSender sender;
  final DatagramPort port;
  final LocalNetwork network;

  Outbox(Messages messages, DatagramSender sender, DatagramPort port, LocalNetwork network) {
    this.messages = messages;
    this.sender = sender;
    this.port = port;
    this.network = network;
  }
}
