// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.relay;

import java.util.List;

/**
 * The extent of a run.
 *
 * @param rounds measurements of each server, in turn
 * @param perSecond datagrams that the clients send, each of which is relayed twice
 * @param clients with a channel each
 * @param warmMillis before each measurement
 * @param measureMillis of each measurement
 * @param allocations whose memory is measured; 0 = not
 * @param rates datagrams a second to try for the loss-free rate, ascending
 * @param offloaded the module also has its turns in which the kernel relays
 */
public record RelayPlan(
    int rounds,
    int perSecond,
    int clients,
    int warmMillis,
    int measureMillis,
    int allocations,
    List<Integer> rates,
    boolean offloaded) {
  /** A process that may not raise its own limit has 20,000 descriptors on some machines. */
  private static final int ALLOCATIONS = 19_500;

  private static final List<Integer> RATES =
      List.of(10_000, 15_000, 20_000, 25_000, 30_000, 40_000);

  /** Returns what the table of docs/benchmarks.md is made by. */
  public static RelayPlan full(int rounds, int perSecond) {
    return new RelayPlan(rounds, perSecond, 40, 4000, 5000, ALLOCATIONS, RATES, true);
  }

  /** Returns a form for a look. */
  public static RelayPlan quick() {
    return new RelayPlan(2, 4000, 40, 3000, 3000, 500, List.of(), true);
  }

  /** Returns the same without loss-free rate, memory, and packets that the kernel relays. */
  public RelayPlan packets() {
    return new RelayPlan(
        rounds, perSecond, clients, warmMillis, measureMillis, 0, List.of(), false);
  }
}
