// SPDX-License-Identifier: Apache-2.0
package org.netserv.packet;

import java.nio.ByteBuffer;

/** The Internet checksum: RFC 1071, and its incremental form, RFC 1624 equation 3. */
final class Checksum {
  private Checksum() {}

  /**
   * One's complement sum of 16-bit words, folded to 16 bits and not complemented; an odd last byte
   * counts as the high half of a word. {@code buffer} is big-endian.
   */
  static int sum(ByteBuffer buffer, int at, int length) {
    long sum = 0;
    int i = at;
    int end = at + length;
    for (; i + 8 <= end; i += 8) {
      long word = buffer.getLong(i);
      sum += (word >>> 32) + (word & 0xffffffffL);
    }
    for (; i + 2 <= end; i += 2) {
      sum += buffer.getShort(i) & 0xffff;
    }
    if (i < end) {
      sum += (buffer.get(i) & 0xff) << 8;
    }
    return fold(sum);
  }

  /** Adds the carries back until 16 bits are left. {@code sum} is not negative. */
  static int fold(long sum) {
    long s = (sum >>> 32) + (sum & 0xffffffffL);
    while (s >>> 16 != 0) {
      s = (s >>> 16) + (s & 0xffff);
    }
    return (int) s;
  }

  /** HC' = ~(~HC + ~m + m'): {@code before} and {@code after} are sums of the changed words. */
  static int update(int checksum, int before, int after) {
    return ~fold((~checksum & 0xffff) + (~before & 0xffff) + (after & 0xffff)) & 0xffff;
  }
}
