// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.serval;

/**
 * The extent of a run.
 *
 * @param rounds measurements of each kind, in turn
 * @param millis of a measurement
 * @param firstMillis of each kind before the first round, in which code is compiled
 */
public record EndpointPlan(int rounds, int millis, int firstMillis) {
  /** Returns the extent of the table of docs/benchmarks.md. */
  public static EndpointPlan full(int rounds) {
    return new EndpointPlan(rounds, 3000, 8000);
  }

  /** Returns a form for a look. */
  public static EndpointPlan quick() {
    return new EndpointPlan(3, 1500, 4000);
  }
}
