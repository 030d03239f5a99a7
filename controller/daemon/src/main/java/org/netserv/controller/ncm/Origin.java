// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.ncm;

import java.net.InetAddress;
import org.netserv.process.SourceKey;

/**
 * The place in the network from which a message came.
 *
 * @param flow the source of its flow, which the sender writes: no limit may rest on it alone
 * @param peer the previous hop, by the address that a GIST handshake has proved; {@link
 *     SourceKey#HERE} for a flow that starts at this node
 */
public record Origin(InetAddress flow, SourceKey peer) {
  /** Returns a name for one flow source behind one peer. */
  String flowOfPeer() {
    return peer.host() + " " + SourceKey.of(flow).host();
  }
}
