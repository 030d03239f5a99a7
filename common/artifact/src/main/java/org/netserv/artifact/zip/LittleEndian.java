// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact.zip;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** A file in memory, read little-endian. The caller checks the bounds. */
final class LittleEndian {
  private final byte[] array;
  private final ByteBuffer view;

  LittleEndian(byte[] array) {
    this.array = array;
    this.view = ByteBuffer.wrap(array).order(ByteOrder.LITTLE_ENDIAN);
  }

  byte[] array() {
    return array;
  }

  int length() {
    return array.length;
  }

  int int16(int at) {
    return view.getShort(at) & 0xffff;
  }

  int int32(int at) {
    return view.getInt(at);
  }

  long uint32(int at) {
    return view.getInt(at) & 0xffffffffL;
  }

  byte[] copy(int at, int length) {
    return Arrays.copyOfRange(array, at, at + length);
  }

  boolean equal(int at, int other, int length) {
    return Arrays.equals(array, at, at + length, array, other, other + length);
  }
}
