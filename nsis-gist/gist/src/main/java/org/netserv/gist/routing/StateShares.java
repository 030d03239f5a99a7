// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import org.netserv.process.SourceKey;

/**
 * Shares the routing states that peers make among their addresses, which their cookies have proved.
 * Below {@link #STRAINED} percent every source gets more. From there on a source gets its fair
 * share, and the room above {@link #FIRST} percent is for sources that have none. A source that
 * fills the table therefore leaves others their share. The class needs no list of a source's
 * states, which would cost memory for each state.
 */
final class StateShares {
  private static final int STRAINED = 75;
  private static final int FIRST = 95;

  private final int most;
  private final Map<String, Integer> held = new HashMap<>();

  StateShares(int most) {
    this.most = most;
  }

  /**
   * Returns whether the source may have another state.
   *
   * @param used states there are, of all kinds
   */
  boolean room(InetAddress source, int used) {
    if (used >= most) {
      return false;
    }
    int mine = held.getOrDefault(SourceKey.of(source).host(), 0);
    if (100L * used < (long) STRAINED * most || mine == 0) {
      return true;
    }
    return 100L * used < (long) FIRST * most && mine < most / held.size();
  }

  void add(InetAddress source) {
    held.merge(SourceKey.of(source).host(), 1, Integer::sum);
  }

  void remove(InetAddress source) {
    held.computeIfPresent(SourceKey.of(source).host(), (s, n) -> n == 1 ? null : n - 1);
  }

  /** Returns the number of states of the source. */
  int held(InetAddress source) {
    return held.getOrDefault(SourceKey.of(source).host(), 0);
  }
}
