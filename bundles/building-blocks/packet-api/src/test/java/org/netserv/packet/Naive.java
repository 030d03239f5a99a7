// SPDX-License-Identifier: Apache-2.0
package org.netserv.packet;

/** Checksums the slow and plain way, over a byte array, independent of the code under test. */
final class Naive {
  private Naive() {}

  /** Is every checksum of this packet right? A UDP checksum of 0 over IPv4 counts as right. */
  static boolean valid(byte[] p) {
    return (p[0] >> 4) == 4 ? valid4(p) : valid6(p);
  }

  private static boolean valid4(byte[] p) {
    int header = (p[0] & 15) * 4;
    if (words(p, 0, header, 0) != 0xffff) {
      return false;
    }
    int length = p.length - header;
    int protocol = p[9] & 0xff;
    if (protocol == 17 && p[header + 6] == 0 && p[header + 7] == 0) {
      return true;
    }
    long pseudo = protocol == 1 ? 0 : words(p, 12, 8, 0) + protocol + length;
    return !summed(protocol) || words(p, header, length, pseudo) == 0xffff;
  }

  private static boolean valid6(byte[] p) {
    int at = 40;
    int protocol = p[6] & 0xff;
    while (protocol == 0 || protocol == 60) {
      protocol = p[at] & 0xff;
      at += ((p[at + 1] & 0xff) + 1) * 8;
    }
    int length = p.length - at;
    return !summed(protocol)
        || words(p, at, length, words(p, 8, 32, 0) + protocol + length) == 0xffff;
  }

  private static boolean summed(int protocol) {
    return protocol == 1 || protocol == 6 || protocol == 17 || protocol == 58;
  }

  /** RFC 1071, one 16-bit word at a time; all ones means right when the checksum is in it. */
  private static long words(byte[] p, int from, int length, long start) {
    long sum = start;
    for (int i = 0; i < length; i++) {
      sum += (i & 1) == 0 ? (p[from + i] & 0xff) << 8 : p[from + i] & 0xff;
      sum = (sum & 0xffff) + (sum >> 16);
    }
    return sum;
  }
}
