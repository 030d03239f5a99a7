// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.serval;

import java.util.List;

/**
 * The extent of a run.
 *
 * @param rounds measurements of each relay, in turn
 * @param connections of each load
 * @param seconds of a measurement
 * @param firstSeconds of each load before the first round, in which code is compiled
 */
public record TranslatorPlan(int rounds, List<Integer> connections, int seconds, int firstSeconds) {
  /** Copies the list. */
  public TranslatorPlan {
    connections = List.copyOf(connections);
  }

  /** Returns what the table of docs/benchmarks.md is made by. */
  public static TranslatorPlan full(int rounds) {
    return new TranslatorPlan(rounds, List.of(1, 16), 3, 8);
  }

  /** Returns a form for a look. */
  public static TranslatorPlan quick() {
    return new TranslatorPlan(2, List.of(1, 16), 2, 4);
  }
}
