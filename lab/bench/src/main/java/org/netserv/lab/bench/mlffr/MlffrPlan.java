// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.mlffr;

import java.util.List;

/**
 * How much is measured.
 *
 * @param repetitions of all cells, one after the other
 * @param only cells with these names; empty = all
 * @param millis of a trial
 * @param search whether the highest rate is looked for, and what hangs on it; else only the cost
 * @param steps of the curve, 0 = none
 * @param exact on a machine whose time is the number of its instructions: a nanosecond is one
 */
public record MlffrPlan(
    int repetitions, List<String> only, int millis, boolean search, int steps, boolean exact) {
  private static final int MILLIS = 250;
  private static final int STEPS = 12;

  /** What --quick measures: the way from the kernel to Java. */
  private static final List<String> FEW = List.of("netfilter", "queue", "java");

  /** What has to hold on any machine. The node comes first: it tells its rules. */
  private static final List<String> COUNTS = List.of("java", "queue", "direct");

  /** All of it. */
  public static MlffrPlan full(int repetitions, List<String> only) {
    return new MlffrPlan(repetitions, only, MILLIS, true, STEPS, false);
  }

  /** Once, few cells. */
  public static MlffrPlan quick(List<String> only) {
    return new MlffrPlan(1, only.isEmpty() ? FEW : only, MILLIS, true, STEPS, false);
  }

  /** What it costs alone, at a rate that any machine has. */
  public static MlffrPlan counts() {
    return new MlffrPlan(1, COUNTS, MILLIS, false, 0, false);
  }

  /** Instructions of the rows with one processor, or of these. */
  public static MlffrPlan exact(List<String> only) {
    return new MlffrPlan(1, only, MILLIS, false, 0, true);
  }
}
