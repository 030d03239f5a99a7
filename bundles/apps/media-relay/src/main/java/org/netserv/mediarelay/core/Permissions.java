// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.LongUnaryOperator;

/**
 * The peers' addresses that may reach an allocation (RFC 8656, 9), each until its time. A short
 * list that is searched from the peer asked for last, because most allocations have a few.
 */
final class Permissions {
  /** A permission's life, RFC 8656 section 9. */
  static final long LIFE_NANOS = 300_000_000_000L;

  private static final int FIRST_SIZE = 4;

  private final int most;
  private long[] high = new long[FIRST_SIZE];
  private long[] low = new long[FIRST_SIZE];
  private long[] until = new long[FIRST_SIZE];
  private int count;
  private int last;

  /**
   * @param most permissions at once
   */
  Permissions(int most) {
    this.most = most;
  }

  /** Tells whether the address has a permission now. */
  boolean allows(long addressHigh, long addressLow, long now) {
    int at = find(addressHigh, addressLow);
    return at >= 0 && until[at] - now > 0;
  }

  /** Returns the nanoseconds until the address has no permission any more; 0 = it has none. */
  long nanosLeft(long addressHigh, long addressLow, long now) {
    int at = find(addressHigh, addressLow);
    return at < 0 ? 0 : Math.max(0, until[at] - now);
  }

  private int find(long addressHigh, long addressLow) {
    if (last < count && low[last] == addressLow && high[last] == addressHigh) {
      return last;
    }
    for (int i = 0; i < count; i++) {
      if (low[i] == addressLow && high[i] == addressHigh) {
        last = i;
        return i;
      }
    }
    return -1;
  }

  /** Tells whether so many more permissions would fit, besides those that are there. */
  boolean fits(int more, long now) {
    if (count + more > most) {
      forget(now);
    }
    return count + more <= most;
  }

  /** Tells whether the address is in the list, perhaps expired. */
  boolean has(long addressHigh, long addressLow) {
    return find(addressHigh, addressLow) >= 0;
  }

  /** Makes or refreshes a permission. Returns false if the list is full. */
  boolean permit(long addressHigh, long addressLow, long now) {
    return permitUntil(addressHigh, addressLow, now + LIFE_NANOS, now);
  }

  /** Makes a permission that ends at a time. Returns false if the list is full. */
  boolean permitUntil(long addressHigh, long addressLow, long end, long now) {
    int at = find(addressHigh, addressLow);
    if (at < 0) {
      if (!fits(1, now)) {
        return false;
      }
      grow();
      at = count++;
      high[at] = addressHigh;
      low[at] = addressLow;
    }
    until[at] = end;
    return true;
  }

  private void grow() {
    if (count == low.length) {
      high = Arrays.copyOf(high, 2 * count);
      low = Arrays.copyOf(low, 2 * count);
      until = Arrays.copyOf(until, 2 * count);
    }
  }

  /** Forgets expired permissions. */
  void forget(long now) {
    int kept = 0;
    for (int i = 0; i < count; i++) {
      if (until[i] - now > 0) {
        high[kept] = high[i];
        low[kept] = low[i];
        until[kept++] = until[i];
      }
    }
    count = kept;
    last = 0;
  }

  /** Forgets the permissions of a family. */
  void forgetFamily(int family) {
    int kept = 0;
    for (int i = 0; i < count; i++) {
      if (Ip.family(high[i], low[i]) != family) {
        high[kept] = high[i];
        low[kept] = low[i];
        until[kept++] = until[i];
      }
    }
    count = kept;
    last = 0;
  }

  int count() {
    return count;
  }

  /** Puts one of them: its address, and its end by another clock. */
  void put(ByteBuffer to, int number, LongUnaryOperator end) {
    to.putLong(high[number]).putLong(low[number]).putLong(end.applyAsLong(until[number]));
  }
}
