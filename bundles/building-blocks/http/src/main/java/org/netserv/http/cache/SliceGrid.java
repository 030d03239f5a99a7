// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import org.netserv.http.FieldSection;
import org.netserv.http.HttpMethod;

/**
 * Cuts representations into slices of equal size.
 *
 * <pre>
 *   offset   0        size      2 size    3 size  length
 *            | slice 0 | slice 1 | slice 2 | 3    |
 * </pre>
 *
 * @param bytes the size of a slice, 1 to 2^30
 */
public record SliceGrid(int bytes) {
  /** A length that no representation has, against which ranges of an unknown one are resolved. */
  private static final long UNBOUNDED = 1L << 61;

  private static final int MOST = 1 << 30;

  /**
   * Checks the size.
   *
   * @throws IllegalArgumentException if it is out of its range
   */
  public SliceGrid {
    if (!isSize(bytes)) {
      throw new IllegalArgumentException("a slice has 1 to 2^30 bytes, not " + bytes);
    }
  }

  /** Tells whether slices may have this size. */
  public static boolean isSize(int bytes) {
    return bytes >= 1 && bytes <= MOST;
  }

  /** Returns the number of the slice that has a byte. */
  public long index(long offset) {
    return offset / bytes;
  }

  /**
   * Returns a slice.
   *
   * @param length of the representation, or -1 if it is not known
   */
  public Slice slice(long index, long length) {
    long from = index * bytes;
    long to = from + bytes;
    return new Slice(index, from, length < 0 ? to : Math.min(length, to));
  }

  /**
   * Chooses the slice to ask for while the length is not known: the first one that the request
   * touches. The end of an unknown length is nowhere, so a request for the last bytes begins with
   * the first slice, whose Content-Range tells the length.
   *
   * @param scratch its ranges are lost
   */
  public Slice first(HttpMethod method, FieldSection request, ByteRanges scratch) {
    ByteRanges.Verdict verdict = scratch.reset(method, request, UNBOUNDED);
    long lowest = UNBOUNDED;
    boolean last = verdict == ByteRanges.Verdict.WHOLE;
    for (int i = 0; i < scratch.count(); i++) {
      lowest = Math.min(lowest, scratch.first(i));
      last |= scratch.first(i) >= UNBOUNDED / 2;
    }
    return slice(last || lowest == UNBOUNDED ? 0 : index(lowest), -1);
  }
}
