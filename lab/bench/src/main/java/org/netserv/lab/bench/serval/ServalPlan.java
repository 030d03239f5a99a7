// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.serval;

/**
 * The extent of a run.
 *
 * @param rounds measurements of each kind, in turn
 * @param packets of each measurement
 * @param rules prefixes of the router in the kernel
 * @param held rules of a table in Java
 * @param registrations that are verified in a round
 */
public record ServalPlan(int rounds, int packets, int rules, int held, int registrations) {
  private static final int RULES = 100_000;
  private static final int HELD = 1_000_000;

  /** Returns what the table of docs/benchmarks.md is made by. */
  public static ServalPlan full(int rounds) {
    return new ServalPlan(rounds, 1_000_000, RULES, HELD, 4000);
  }

  /** Returns a form for a look. */
  public static ServalPlan quick() {
    return new ServalPlan(3, 200_000, RULES, HELD / 10, 1000);
  }
}
