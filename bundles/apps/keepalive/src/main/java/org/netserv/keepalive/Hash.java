// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import java.nio.ByteBuffer;
import org.netserv.sip.Ascii;

/**
 * A hash of byte ranges, eight bytes a step. The same bytes give the same number on every node and
 * after every restart.
 */
final class Hash {
  static final long START = 0xcbf29ce484222325L;
  private static final long FACTOR = 0x9e3779b97f4a7c15L;

  private Hash() {}

  /**
   * Adds the bytes and their number, so that "ab","c" and "a","bc" differ. {@code buffer} is
   * big-endian.
   */
  static long add(long before, ByteBuffer buffer, int start, int end) {
    long hash = before + end - start;
    int i = start;
    for (; i <= end - Long.BYTES; i += Long.BYTES) {
      hash = add(hash, buffer.getLong(i));
    }
    return i < end ? add(hash, Ascii.word(buffer, i, end)) : hash;
  }

  private static long add(long hash, long word) {
    long mixed = (hash ^ word) * FACTOR;
    return mixed ^ mixed >>> 32;
  }
}
