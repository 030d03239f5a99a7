// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import java.util.HashMap;
import java.util.Map;
import org.netserv.mediarelay.core.Ip;

/**
 * Counts what is open, all together and by source: an IPv4 address, or the /64 of an IPv6 address.
 * It is never larger than the number of open things.
 *
 * <p><b>Threads.</b> Whoever holds the relay's lock.
 */
final class SourceCrowd {
  private final int most;
  private final int sourceMost;
  private final Map<Long, Integer> counts = new HashMap<>();
  private int total;

  /**
   * @param most open at once
   * @param sourceMost open at once, of one source
   */
  SourceCrowd(int most, int sourceMost) {
    this.most = most;
    this.sourceMost = sourceMost;
  }

  int total() {
    return total;
  }

  /** Counts one more. Returns false if there are too many. */
  boolean enter(long high, long low) {
    long source = source(high, low);
    int count = counts.getOrDefault(source, 0);
    if (total >= most || count >= sourceMost) {
      return false;
    }
    counts.put(source, count + 1);
    total++;
    return true;
  }

  /** Counts one less. The source has entered before. */
  void leave(long high, long low) {
    counts.computeIfPresent(source(high, low), (source, count) -> count == 1 ? null : count - 1);
    total--;
  }

  private static long source(long high, long low) {
    return Ip.isV4(high, low) ? low : high;
  }
}
