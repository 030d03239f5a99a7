// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.relay;

/**
 * The extent of a run.
 *
 * @param rounds measurements of each server, in turn
 * @param perSecond datagrams that the clients send, each of which is relayed twice
 * @param clients with a channel each
 * @param warmMillis before each measurement
 * @param measureMillis of each measurement of packets; 0 = none
 * @param allocations whose memory is measured; 0 = not
 * @param lossFree the loss-free rate is searched for, too
 * @param offloaded the module also has its turns in which the kernel relays
 */
public record RelayPlan(
    int rounds,
    int perSecond,
    int clients,
    int warmMillis,
    int measureMillis,
    int allocations,
    boolean lossFree,
    boolean offloaded) {
  private static final int ALLOCATIONS = 20_200;

  /**
   * A process that may not raise its own limit has 20,000 descriptors on some machines; rounds take
   * some.
   */
  private static final int MOST = 18_500;

  /** Returns what the table of docs/benchmarks.md is made by. */
  public static RelayPlan full(int rounds, int perSecond) {
    return new RelayPlan(rounds, perSecond, 40, 4000, 5000, ALLOCATIONS, true, true);
  }

  /** Returns a form for a look. */
  public static RelayPlan quick() {
    return new RelayPlan(2, 4000, 40, 3000, 3000, 500, false, true);
  }

  /** Returns the most allocations of one server. */
  int most() {
    return MOST;
  }

  /** Returns the same without loss-free rate, memory, and packets that the kernel relays. */
  public RelayPlan packets() {
    return new RelayPlan(rounds, perSecond, clients, warmMillis, measureMillis, 0, false, false);
  }

  /** Returns the same with the loss-free rate alone. */
  public RelayPlan rate() {
    return new RelayPlan(rounds, perSecond, clients, warmMillis, 0, 0, true, true);
  }
}
