// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import java.util.Arrays;

/**
 * The module's memory of each agent (source address and port). Open addressing in arrays, with
 * eight places per bucket. A new agent in a full bucket doubles the table, while the table may
 * still grow. One packet then waits for the copy, a millisecond at the most. No other packet
 * allocates anything.
 *
 * <p>When the table has its largest size, a new agent takes the place of the agent not heard of for
 * longest. The replaced agent counts as new when it comes back, so its next keep-alive goes to the
 * server. A flood of forged sources therefore costs savings, never answers.
 */
final class AgentTable {
  private static final int WAYS = 8;

  /** Places of a new table. Most nodes have few agents for most of the time. */
  private static final int FIRST_PLACES = 1024;

  private final int maxPlaces;
  private int mask;
  private long[] high;
  private long[] low;
  private int[] port; // + 1; 0 = free
  private int[] seen; // tick of the last packet
  private int[] count;
  private long[] pending; // transaction that was let through and may be repeated; 0 = none
  private boolean[] repeated;
  private int[] reported; // second of the last report + 1; 0 = never
  private int tick;
  private long replaced;

  /**
   * @param maxPlaces a power of two, at least 8
   */
  AgentTable(int maxPlaces) {
    this.maxPlaces = maxPlaces;
    make(Math.min(maxPlaces, FIRST_PLACES));
  }

  private void make(int places) {
    mask = places - 1;
    high = new long[places];
    low = new long[places];
    port = new int[places];
    seen = new int[places];
    count = new int[places];
    pending = new long[places];
    repeated = new boolean[places];
    reported = new int[places];
  }

  /**
   * Returns the agent's place, and makes a place if the agent has none. The place holds until the
   * next call.
   */
  int find(long addressHigh, long addressLow, int sourcePort) {
    int first = bucket(addressHigh, addressLow, sourcePort);
    int oldest = first;
    tick++;
    for (int i = first; i < first + WAYS; i++) {
      if (port[i] == sourcePort + 1 && low[i] == addressLow && high[i] == addressHigh) {
        seen[i] = tick;
        return i;
      }
      boolean better = port[oldest] != 0 && (port[i] == 0 || tick - seen[i] > tick - seen[oldest]);
      oldest = better ? i : oldest;
    }
    if (port[oldest] != 0 && mask + 1 < maxPlaces) {
      grow();
      return find(addressHigh, addressLow, sourcePort);
    }
    take(oldest, addressHigh, addressLow, sourcePort);
    return oldest;
  }

  /**
   * Doubles the table. The agents of one bucket go to two buckets of the new table, and no other
   * agents go there, so every agent has room.
   */
  private void grow() {
    AgentTable old = new AgentTable(this);
    make(2 * port.length);
    for (int from = 0; from < old.port.length; from++) {
      if (old.port[from] != 0) {
        int to = bucket(old.high[from], old.low[from], old.port[from] - 1);
        while (port[to] != 0) {
          to++;
        }
        copy(old, from, to);
      }
    }
  }

  /** Shares the arrays of another table. */
  private AgentTable(AgentTable other) {
    maxPlaces = other.maxPlaces;
    high = other.high;
    low = other.low;
    port = other.port;
    seen = other.seen;
    count = other.count;
    pending = other.pending;
    repeated = other.repeated;
    reported = other.reported;
  }

  private void copy(AgentTable old, int from, int to) {
    high[to] = old.high[from];
    low[to] = old.low[from];
    port[to] = old.port[from];
    seen[to] = old.seen[from];
    count[to] = old.count[from];
    pending[to] = old.pending[from];
    repeated[to] = old.repeated[from];
    reported[to] = old.reported[from];
  }

  private int bucket(long addressHigh, long addressLow, int sourcePort) {
    long hash = (addressHigh * 31 + addressLow) * 31 + sourcePort;
    hash = (hash ^ hash >>> 32) * 0x9e3779b97f4a7c15L;
    return (int) (hash >>> 33) & mask & -WAYS;
  }

  private void take(int at, long addressHigh, long addressLow, int sourcePort) {
    replaced += port[at] == 0 ? 0 : 1;
    high[at] = addressHigh;
    low[at] = addressLow;
    port[at] = sourcePort + 1;
    seen[at] = tick;
    count[at] = 0;
    pending[at] = 0;
    repeated[at] = false;
    reported[at] = 0;
  }

  /** Counts a keep-alive and returns the agent's number of keep-alives, from 1. */
  int next(int at) {
    count[at] = count[at] == Integer.MAX_VALUE ? 2 : count[at] + 1;
    return count[at];
  }

  /** Counts keep-alives of a known agent that did not come here. */
  void skip(int at, int number) {
    if (count[at] > 0) {
      count[at] = count[at] > Integer.MAX_VALUE - number ? 2 : count[at] + number;
    }
  }

  /** Returns the agent's number of keep-alives. */
  int number(int at) {
    return count[at];
  }

  long pending(int at) {
    return pending[at];
  }

  void pending(int at, long transaction) {
    pending[at] = transaction;
    repeated[at] = false;
  }

  /** Marks the pending transaction as repeated. Returns whether it was marked already. */
  boolean repeat(int at) {
    boolean before = repeated[at];
    repeated[at] = true;
    return before;
  }

  boolean isRepeated(int at) {
    return repeated[at];
  }

  /** Tells whether the agent was not reported for so many seconds. */
  boolean isDue(int at, int now, int seconds) {
    return reported[at] == 0 || now + 1 - reported[at] >= seconds;
  }

  void reported(int at, int now) {
    reported[at] = now + 1;
  }

  /** Returns the number of agents that lost their place to another agent. */
  long replaced() {
    return replaced;
  }

  int agents() {
    return (int) Arrays.stream(port).filter(value -> value != 0).count();
  }
}
