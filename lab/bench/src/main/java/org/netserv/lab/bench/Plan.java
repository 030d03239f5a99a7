// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench;

/**
 * The extent of a signaling bench.
 *
 * @param memory true to warm up and measure the memory of a state
 * @param states held at the same time
 * @param stretch states to try after that; 0 = none
 * @param holdSeconds for which the states are held and refreshed
 * @param rate GIST messages a second of the node while it holds them
 * @param rounds of handshakes, and as many of the plain exchange, in turn
 * @param warmUp rounds before the counted rounds, in which the node's compiler is at work
 * @param roundSeconds length of each round
 * @param outstanding handshakes under way
 * @param samples handshakes of each kind, one at a time
 */
public record Plan(
    boolean memory,
    int states,
    int stretch,
    int holdSeconds,
    int rate,
    int rounds,
    int warmUp,
    int roundSeconds,
    int outstanding,
    int samples) {
  private static final int MINUTE = 60;

  /** Returns the full plan. */
  public static Plan full(int minutes) {
    return new Plan(true, 100_000, 500_000, minutes * MINUTE, 5000, 7, 5, 4, 64, 200);
  }

  /** Returns the short plan. */
  public static Plan quick() {
    return new Plan(true, 10_000, 0, MINUTE, 5000, 3, 2, 2, 64, 50);
  }

  /**
   * Returns the plan of states alone, which must pass on any machine: few states for a short time.
   */
  public static Plan counts() {
    return new Plan(false, 5_000, 0, 25, 5000, 0, 0, 0, 64, 0);
  }
}
