// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

/**
 * The byte ranges of a representation that are stored (RFC 9111, 3.3), sorted and apart from each
 * other. Ends are exclusive. One thread.
 */
public final class Extents {
  private final long[] from;
  private final long[] to;
  private int count;

  /**
   * Makes an empty set.
   *
   * @param most the most ranges that are apart from each other, 1 to 10,000
   */
  public Extents(int most) {
    if (most < 1 || most > 10_000) {
      throw new IllegalArgumentException("most is " + most + ", not 1 to 10000");
    }
    from = new long[most];
    to = new long[most];
  }

  /**
   * Adds {@code [start, end)}.
   *
   * @return false if the range is empty, negative, or would be one too many; nothing changes then
   */
  public boolean add(long start, long end) {
    if (start < 0 || end <= start) {
      return false;
    }
    int first = 0;
    while (first < count && to[first] < start) {
      first++;
    }
    int behind = first;
    long low = start;
    long high = end;
    while (behind < count && from[behind] <= end) {
      low = Math.min(low, from[behind]);
      high = Math.max(high, to[behind]);
      behind++;
    }
    if (behind == first && count == from.length) {
      return false;
    }
    replace(first, behind, low, high);
    return true;
  }

  private void replace(int first, int behind, long low, long high) {
    int rest = count - behind;
    System.arraycopy(from, behind, from, first + 1, rest);
    System.arraycopy(to, behind, to, first + 1, rest);
    from[first] = low;
    to[first] = high;
    count = first + 1 + rest;
  }

  /** Tells whether all of {@code [start, end)} is stored. An empty range is. */
  public boolean covers(long start, long end) {
    return gap(start, end) == end;
  }

  /** Returns the first offset of {@code [start, end)} that is not stored, or the end. */
  public long gap(long start, long end) {
    long at = start;
    for (int i = 0; i < count && at < end; i++) {
      if (from[i] <= at && at < to[i]) {
        at = to[i];
      }
    }
    return Math.min(at, end);
  }

  /** Returns the first offset behind a gap that is stored again, at most the end. */
  public long gapEnd(long gap, long end) {
    for (int i = 0; i < count; i++) {
      if (from[i] > gap) {
        return Math.min(from[i], end);
      }
    }
    return end;
  }

  /** The number of ranges that are apart from each other. */
  public int count() {
    return count;
  }

  /** Bytes stored. */
  public long size() {
    long sum = 0;
    for (int i = 0; i < count; i++) {
      sum += to[i] - from[i];
    }
    return sum;
  }
}
