// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.serval;

/**
 * The extent of a run.
 *
 * @param rounds measurements of each kind, in turn
 * @param quick true for a look, with shorter measurements
 */
public record ServalPlan(int rounds, boolean quick) {
  private static final int LOOK = 3;

  /** Returns the extent of the tables of docs/benchmarks.md. */
  public static ServalPlan full(int rounds) {
    return new ServalPlan(rounds, false);
  }

  /** Returns a form for a look. */
  public static ServalPlan look() {
    return new ServalPlan(LOOK, true);
  }

  /** Returns one of two extents of a measurement. */
  int of(int full, int look) {
    return quick ? look : full;
  }
}
