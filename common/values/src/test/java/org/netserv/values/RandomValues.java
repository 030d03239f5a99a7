// SPDX-License-Identifier: Apache-2.0
package org.netserv.values;

import java.util.Random;

/** Values by a seed, for tests of whatever reads or writes them. */
public final class RandomValues {
  private RandomValues() {}

  /** Noise of a length. */
  public static byte[] bytes(Random random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  /**
   * Half of them IPv4; the IPv6 ones have runs of zero groups, and now and then are mapped IPv4.
   */
  public static byte[] address(Random random) {
    byte[] bytes = bytes(random, random.nextBoolean() ? 4 : 16);
    if (bytes.length == 16) {
      for (int i = 0; i < 16; i += 2) {
        if (random.nextBoolean()) {
          bytes[i] = 0;
          bytes[i + 1] = random.nextBoolean() ? 0 : bytes[i + 1];
        }
      }
    }
    return bytes;
  }
}
