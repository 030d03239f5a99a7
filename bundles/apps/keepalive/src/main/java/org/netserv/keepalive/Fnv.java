// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import java.nio.ByteBuffer;

/** FNV-1a, 64 bits: the same bytes give the same number on every node and after every restart. */
final class Fnv {
  static final long START = 0xcbf29ce484222325L;
  private static final long PRIME = 0x100000001b3L;

  private Fnv() {}

  static long add(long hash, int value) {
    return (hash ^ (value & 0xff)) * PRIME;
  }

  /** Adds the bytes and an end mark, so that "ab","c" and "a","bc" differ. */
  static long add(long hash, ByteBuffer buffer, int start, int end) {
    long h = hash;
    for (int i = start; i < end; i++) {
      h = add(h, buffer.get(i));
    }
    return add(h, 0);
  }
}
