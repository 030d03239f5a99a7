// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

import java.nio.ByteBuffer;

/**
 * Bytes of a stream by sequence number. The ring grows as it fills, up to the bound that its user
 * keeps, and so an idle stream has none.
 */
final class ByteRing {
  private static final byte[] NONE = {};
  private static final int LEAST = 1 << 14;

  private byte[] bytes = NONE; // a power of two, or none

  /**
   * Makes room for a span of bytes.
   *
   * @param first sequence number of the first byte that counts
   * @param span bytes from there on, those that are there and those to come
   */
  void reserve(int first, int span) {
    if (span <= bytes.length) {
      return;
    }
    int size = Math.max(LEAST, bytes.length);
    while (size < span) {
      size *= 2;
    }
    byte[] larger = new byte[size];
    for (int done = 0; done < bytes.length; ) {
      int from = (first + done) & (bytes.length - 1);
      int to = (first + done) & (size - 1);
      int count = Math.min(bytes.length - done, Math.min(bytes.length - from, size - to));
      System.arraycopy(bytes, from, larger, to, count);
      done += count;
    }
    bytes = larger;
  }

  /** Copies bytes in. The span has been reserved. */
  void put(int sequence, ByteBuffer source, int from, int count) {
    int at = sequence & (bytes.length - 1);
    int head = Math.min(count, bytes.length - at);
    source.get(from, bytes, at, head);
    source.get(from + head, bytes, 0, count - head);
  }

  /** Copies bytes out, to an index of the target. */
  void get(int sequence, int count, ByteBuffer target, int to) {
    int at = sequence & (bytes.length - 1);
    int head = Math.min(count, bytes.length - at);
    target.put(to, bytes, at, head);
    target.put(to + head, bytes, 0, count - head);
  }

  /** Returns the bytes of memory. */
  int size() {
    return bytes.length;
  }

  /** Gives the memory back. */
  void release() {
    bytes = NONE;
  }
}
