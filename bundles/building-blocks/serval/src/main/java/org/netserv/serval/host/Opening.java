// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.host;

import org.netserv.serval.ControlMessage;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.Way;

/**
 * A message that may open a flow at a listener.
 *
 * @param arrival the packet of the message
 * @param message a SYN, or the handshake's ACK that proves an answer without state
 * @param service the target
 * @param way of a SYN over service routers, else straight
 */
record Opening(Arrival arrival, ControlMessage message, ServiceId service, Way way) {
  Endpoint from() {
    return arrival.source();
  }

  Endpoint own() {
    return arrival.local();
  }

  long time() {
    return arrival.time();
  }

  HeldFlow.Client client() {
    return HeldFlow.Client.of(message, from());
  }
}
