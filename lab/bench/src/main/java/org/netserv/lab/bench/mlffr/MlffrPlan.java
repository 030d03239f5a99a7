// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.mlffr;

import java.util.List;

/**
 * The extent of a packet path bench.
 *
 * @param repetitions of all cells, one after the other
 * @param only cells with these names; empty = all
 * @param millis of a trial
 * @param search true to search for the highest rate and measure at shares of it; false for the cost
 *     only
 * @param steps of the curve, 0 = none
 * @param exact true on a machine where time is the number of instructions and a nanosecond is one
 *     instruction
 */
public record MlffrPlan(
    int repetitions, List<String> only, int millis, boolean search, int steps, boolean exact) {
  private static final int MILLIS = 250;
  private static final int STEPS = 12;

  /** Cells of --quick, along the way from the kernel to Java. */
  private static final List<String> FEW = List.of("netfilter", "queue", "java");

  /**
   * Cells of --counts, which must pass on any machine. The first is a node, because the others need
   * its rules.
   */
  private static final List<String> COUNTS = List.of("java", "queue", "direct");

  /** Returns the full plan. */
  public static MlffrPlan full(int repetitions, List<String> only) {
    return new MlffrPlan(repetitions, only, MILLIS, true, STEPS, false);
  }

  /** Returns the plan of one repetition with few cells. */
  public static MlffrPlan quick(List<String> only) {
    return new MlffrPlan(1, only.isEmpty() ? FEW : only, MILLIS, true, STEPS, false);
  }

  /** Returns the plan that measures the cost alone, at a rate that any machine reaches. */
  public static MlffrPlan counts() {
    return new MlffrPlan(1, COUNTS, MILLIS, false, 0, false);
  }

  /**
   * Returns the plan that counts instructions of the rows with one processor, or only of the named
   * rows.
   */
  public static MlffrPlan exact(List<String> only) {
    return new MlffrPlan(1, only, MILLIS, false, 0, true);
  }
}
