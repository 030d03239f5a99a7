// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import java.util.Arrays;

/**
 * What is remembered of each agent (source address and port): open addressing in arrays made once,
 * eight places per bucket. A new agent in a full bucket takes the place of the one not heard of for
 * longest; that one is new when it comes back, and its keep-alive then goes to the server. So a
 * flood of forged sources costs savings, never answers.
 */
final class AgentTable {
  private static final int WAYS = 8;

  private final int mask;
  private final long[] high;
  private final long[] low;
  private final int[] port; // + 1; 0 = free
  private final int[] seen; // tick of the last packet
  private final int[] count;
  private final long[] pending; // transaction that was let through and may be repeated; 0 = none
  private final boolean[] repeated;
  private int tick;
  private long replaced;

  /**
   * @param places a power of two, at least 8
   */
  AgentTable(int places) {
    mask = places - 1;
    high = new long[places];
    low = new long[places];
    port = new int[places];
    seen = new int[places];
    count = new int[places];
    pending = new long[places];
    repeated = new boolean[places];
  }

  /** The agent's place, made if it has none. */
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
    take(oldest, addressHigh, addressLow, sourcePort);
    return oldest;
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
  }

  /** Counts a keep-alive; answers its number, from 1, of this agent. */
  int next(int at) {
    count[at] = count[at] == Integer.MAX_VALUE ? 2 : count[at] + 1;
    return count[at];
  }

  long pending(int at) {
    return pending[at];
  }

  void pending(int at, long transaction) {
    pending[at] = transaction;
    repeated[at] = false;
  }

  /** Marks the pending one as repeated; answers whether it was already. */
  boolean repeat(int at) {
    boolean before = repeated[at];
    repeated[at] = true;
    return before;
  }

  boolean isRepeated(int at) {
    return repeated[at];
  }

  /** Agents that lost their place to another. */
  long replaced() {
    return replaced;
  }

  int agents() {
    return (int) Arrays.stream(port).filter(value -> value != 0).count();
  }
}
