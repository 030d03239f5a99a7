// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

/** Big-endian numbers in an array. The caller has checked the bounds. */
final class NetworkOrder {
  private NetworkOrder() {}

  static int get8(byte[] bytes, int at) {
    return bytes[at] & 0xff;
  }

  static int get16(byte[] bytes, int at) {
    return (bytes[at] & 0xff) << 8 | (bytes[at + 1] & 0xff);
  }

  static int get32(byte[] bytes, int at) {
    return get16(bytes, at) << 16 | get16(bytes, at + 2);
  }

  static void put16(byte[] bytes, int at, int value) {
    bytes[at] = (byte) (value >> 8);
    bytes[at + 1] = (byte) value;
  }

  static void put32(byte[] bytes, int at, int value) {
    put16(bytes, at, value >> 16);
    put16(bytes, at + 2, value);
  }

  /** The next multiple of a word. */
  static int padded(int length) {
    return (length + 3) & ~3;
  }
}
