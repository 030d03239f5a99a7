// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.util.Arrays;

/** Bytes of a message in the making. Objects start and end at whole words. */
final class WireWriter {
  private byte[] bytes;
  private int at;

  WireWriter(int capacity) {
    bytes = new byte[capacity];
  }

  int size() {
    return at;
  }

  WireWriter put8(int value) {
    room(1);
    bytes[at++] = (byte) value;
    return this;
  }

  WireWriter put16(int value) {
    room(2);
    NetworkOrder.put16(bytes, at, value);
    at += 2;
    return this;
  }

  WireWriter put32(long value) {
    room(4);
    NetworkOrder.put32(bytes, at, (int) value);
    at += 4;
    return this;
  }

  WireWriter put(byte[] value) {
    room(value.length);
    System.arraycopy(value, 0, bytes, at, value.length);
    at += value.length;
    return this;
  }

  /** Zeros up to the next word. */
  WireWriter pad() {
    int to = NetworkOrder.padded(at);
    room(to - at);
    at = to;
    return this;
  }

  /** Overwrites two bytes that were written before. */
  void patch16(int where, int value) {
    NetworkOrder.put16(bytes, where, value);
  }

  byte[] toBytes() {
    return Arrays.copyOf(bytes, at);
  }

  private void room(int more) {
    if (bytes.length - at < more) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, at + more));
    }
  }
}
