// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import org.netserv.gist.port.LocalNetwork;

/**
 * The way out of a node: the messages that it originates, the datagrams that carry them, and the
 * addresses and interfaces by which they leave.
 */
record Outbox(Messages messages, DatagramSender sender, LocalNetwork network) {}
