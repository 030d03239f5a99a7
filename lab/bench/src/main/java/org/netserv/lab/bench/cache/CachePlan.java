// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.cache;

/**
 * The extent of a run.
 *
 * @param firstSeconds of each load before the first round, in which Java compiles what is hot
 * @param rounds measurements of each, in turn
 * @param warmSeconds of load before each measurement
 * @param measureSeconds of load in each measurement
 */
public record CachePlan(int firstSeconds, int rounds, int warmSeconds, int measureSeconds) {
  /** Returns what the table of docs/benchmarks.md is made by. */
  public static CachePlan full(int rounds) {
    return new CachePlan(15, rounds, 1, 3);
  }

  /** Returns a form for a look. */
  public static CachePlan quick() {
    return new CachePlan(5, 1, 1, 2);
  }
}
