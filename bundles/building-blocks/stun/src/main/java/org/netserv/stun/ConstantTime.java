// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

import java.nio.ByteBuffer;

/** Compares secrets in a time that depends on their length alone. */
final class ConstantTime {
  private ConstantTime() {}

  /** Compares {@code count} bytes. Both sides have them. */
  static boolean equal(ByteBuffer buffer, int at, byte[] other, int count) {
    int difference = 0;
    for (int i = 0; i < count; i++) {
      difference |= buffer.get(at + i) ^ other[i];
    }
    return difference == 0;
  }
}
