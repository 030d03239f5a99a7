// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench;

/**
 * How much is measured.
 *
 * @param memory whether what a state costs is measured, after a warm-up
 * @param states held at the same time
 * @param stretch as many as are tried after that; 0 = none
 * @param holdSeconds for which the states are held and refreshed
 * @param rate GIST messages a second of the node while it holds them
 * @param rounds of handshakes, and as many of the plain exchange, in turn
 * @param warmUp rounds before those, not counted: the node's compiler is at work
 * @param roundSeconds length of each
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

  /** All of it. */
  public static Plan full(int minutes) {
    return new Plan(true, 100_000, 500_000, minutes * MINUTE, 5000, 7, 5, 4, 64, 200);
  }

  /** The same in short. */
  public static Plan quick() {
    return new Plan(true, 10_000, 0, MINUTE, 5000, 3, 2, 2, 64, 50);
  }

  /** States alone, few and for a moment: what has to hold on any machine. */
  public static Plan counts() {
    return new Plan(false, 5_000, 0, 25, 5000, 0, 0, 0, 64, 0);
  }
}
