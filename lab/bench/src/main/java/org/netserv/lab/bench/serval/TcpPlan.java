// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.serval;

/**
 * The extent of a run.
 *
 * @param rounds measurements of each kind, in turn
 * @param seconds of a transfer
 * @param connections of a measurement of connect
 */
public record TcpPlan(int rounds, int seconds, int connections) {
  /** Returns the extent of the table of docs/benchmarks.md. */
  public static TcpPlan full(int rounds) {
    return new TcpPlan(rounds, 2, 300);
  }

  /** Returns a form for a look. */
  public static TcpPlan quick() {
    return new TcpPlan(3, 1, 100);
  }
}
