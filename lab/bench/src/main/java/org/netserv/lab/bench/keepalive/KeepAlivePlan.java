// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.keepalive;

/**
 * The extent of a run.
 *
 * @param topology name, which tells by which plane the packets come
 * @param rounds measurements of each, in turn
 * @param perSecond keep-alives, of all agents together
 * @param agents that send them, each from a port of its own
 * @param warmSeconds before each measurement
 * @param measureSeconds of each measurement
 */
public record KeepAlivePlan(
    String topology, int rounds, int perSecond, int agents, int warmSeconds, int measureSeconds) {
  private static final String QUEUE = "keepalive-bench";
  private static final String AFXDP = "keepalive-afxdp";

  /** Tells whether the kernel answers in a turn. It does not know packets that AF_XDP has. */
  boolean kernel() {
    return !topology.equals(AFXDP);
  }

  /** Returns what the table of docs/benchmarks.md is made by. */
  public static KeepAlivePlan full(boolean afxdp, int rounds, int perSecond) {
    return new KeepAlivePlan(afxdp ? AFXDP : QUEUE, rounds, perSecond, 4, 4, 8);
  }

  /** Returns a form for a look. */
  public static KeepAlivePlan quick(boolean afxdp) {
    return new KeepAlivePlan(afxdp ? AFXDP : QUEUE, 2, 2000, 4, 2, 3);
  }
}
