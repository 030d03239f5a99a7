// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

/**
 * The places where routing state is kept: the table, the wheel of its timers, its peers, and the
 * bytes that sent messages may use.
 */
record StateStore(
    RoutingTable table, TimerWheel wheel, Peers peers, SentMessages.Budget sentBudget) {
  /** Bytes of sent messages that are kept until the peer can no longer refuse them. */
  private static final long SENT_BYTES = 16 << 20;

  StateStore(RoutingTable table, TimerWheel wheel) {
    this(table, wheel, new Peers(), new SentMessages.Budget(SENT_BYTES));
  }

  long now() {
    return wheel.now();
  }
}
