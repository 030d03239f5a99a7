// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

import java.nio.ByteBuffer;

/**
 * The data that have come, and have not been read.
 *
 * <pre>
 *    read        expected      left   right     left   right    end of the window
 *     | readable |    missing   | range |        | range |       |
 * </pre>
 *
 * Bytes that are there are never overwritten: a later segment with other bytes in their place
 * changes nothing. Memory is bounded by the window, and the ranges by {@link #RANGES}.
 */
final class Reassembly {
  /** Ranges behind a gap. A segment that would make another one is dropped, and comes again. */
  static final int RANGES = 64;

  private final ByteRing bytes = new ByteRing();
  private final int[] left = new int[RANGES + 1];
  private final int[] right = new int[RANGES + 1];
  private final long[] changed = new long[RANGES + 1];
  private int ranges;
  private int read;
  private int expected;
  private boolean finished; // the last sequence number is that of the FIN
  private long changes;

  /** Makes an empty store. The sequence number is that of the first byte. */
  Reassembly(int first) {
    read = first;
    expected = first;
  }

  /** Returns the first sequence number that is missing. */
  int expected() {
    return expected;
  }

  int readable() {
    return expected - read - (finished ? 1 : 0);
  }

  int ranges() {
    return ranges;
  }

  /**
   * Takes bytes between {@link #expected} and the end of the window.
   *
   * @return false if there are too many ranges
   */
  boolean take(int sequence, ByteBuffer source, int from, int count) {
    int end = sequence + count;
    int first = 0; // the first range that touches the segment
    while (first < ranges && Sequence.isBefore(right[first], sequence)) {
      first++;
    }
    int last = first; // the first range behind it
    while (last < ranges && !Sequence.isBefore(end, left[last])) {
      last++;
    }
    boolean inOrder = sequence == expected;
    if (first == last && !inOrder && ranges == RANGES) {
      return false;
    }
    bytes.reserve(read, end - read);
    fill(sequence, end, source, from, first, last);
    int start = first < last ? Sequence.earlier(sequence, left[first]) : sequence;
    int stop = first < last ? Sequence.later(end, right[last - 1]) : end;
    replace(first, last, start, stop);
    if (inOrder) {
      expected = stop;
      replace(0, 1);
    }
    return true;
  }

  /** Copies the parts that are missing between the ranges that the segment touches. */
  private void fill(int sequence, int end, ByteBuffer source, int from, int first, int last) {
    int at = sequence;
    for (int i = first; i <= last; i++) {
      int stop = i < last ? Sequence.earlier(left[i], end) : end;
      if (Sequence.isBefore(at, stop)) {
        bytes.put(at, source, from + (at - sequence), stop - at);
      }
      at = i < last ? Sequence.later(at, right[i]) : at;
    }
  }

  /** Puts one range in the place of those from first to last. */
  private void replace(int first, int last, int start, int stop) {
    if (first == last) {
      move(first, first + 1);
      ranges++;
    } else {
      replace(first + 1, last);
    }
    left[first] = start;
    right[first] = stop;
    changed[first] = ++changes;
  }

  /** Removes the ranges from first to last. */
  private void replace(int first, int last) {
    move(last, first);
    ranges -= last - first;
  }

  private void move(int from, int to) {
    int count = ranges - from;
    System.arraycopy(left, from, left, to, count);
    System.arraycopy(right, from, right, to, count);
    System.arraycopy(changed, from, changed, to, count);
  }

  /** Adds SACK blocks, the one that has changed last first (RFC 2018 section 4). */
  void sack(OutgoingSegment segment, int most) {
    long below = Long.MAX_VALUE;
    for (int block = 0; block < Math.min(most, ranges); block++) {
      int newest = -1;
      for (int i = 0; i < ranges; i++) {
        if (changed[i] < below && (newest < 0 || changed[i] > changed[newest])) {
          newest = i;
        }
      }
      below = changed[newest];
      segment.block(left[newest], right[newest]);
    }
  }

  /** Tells whether all bytes from a sequence number to another are there. */
  boolean has(int sequence, int end) {
    if (!Sequence.isBefore(expected, end)) {
      return true;
    }
    for (int i = 0; i < ranges; i++) {
      if (!Sequence.isBefore(sequence, left[i]) && !Sequence.isBefore(right[i], end)) {
        return true;
      }
    }
    return false;
  }

  /** Moves readable bytes to a buffer. Returns their number. */
  int read(ByteBuffer target) {
    int count = Math.min(readable(), target.remaining());
    if (count > 0) {
      bytes.get(read, count, target, target.position());
      target.position(target.position() + count);
      read += count;
    }
    return count;
  }

  /** Passes over the sequence number of the FIN, which is no byte. Nothing follows. */
  void finish() {
    expected++;
    finished = true;
  }

  boolean isFinished() {
    return finished;
  }

  /** Returns the bytes of memory. */
  int size() {
    return bytes.size();
  }

  /** Throws away all that is there. */
  void release() {
    bytes.release();
    ranges = 0;
    read = expected - (finished ? 1 : 0);
  }
}
