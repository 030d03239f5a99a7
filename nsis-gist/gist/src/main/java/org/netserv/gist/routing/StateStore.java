// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

/** The places where a node keeps routing state, and what its sessions have in common. */
final class StateStore {
  /** Bytes of sent messages that are kept until the peer can no longer refuse them. */
  private static final long SENT_BYTES = 16 << 20;

  final RoutingTable table;
  final TimerWheel wheel;
  final Peers peers = new Peers();
  final SentMessages.Budget sentBudget = new SentMessages.Budget(SENT_BYTES);

  StateStore(RoutingTable table, TimerWheel wheel) {
    this.table = table;
    this.wheel = wheel;
  }

  long now() {
    return wheel.now();
  }
}
