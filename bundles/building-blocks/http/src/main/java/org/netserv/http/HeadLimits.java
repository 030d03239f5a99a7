// SPDX-License-Identifier: Apache-2.0
package org.netserv.http;

/**
 * Bounds of a head.
 *
 * @param bytes the largest head with its empty line, 64 to 2^20
 * @param target the longest request target in bytes, 1 to 2^20
 * @param fields the most field lines, 1 to 1000
 */
public record HeadLimits(int bytes, int target, int fields) {
  /** 16 KiB, targets of 8,000 bytes as RFC 9112 section 3 recommends, 100 lines. */
  public static final HeadLimits USUAL = new HeadLimits(16_384, 8_000, 100);

  /**
   * Checks the bounds.
   *
   * @throws IllegalArgumentException if one is out of its range
   */
  public HeadLimits {
    check("bytes", bytes, 64, 1 << 20);
    check("target", target, 1, 1 << 20);
    check("fields", fields, 1, 1000);
  }

  private static void check(String name, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(name + " is " + value + ", not " + least + " to " + most);
    }
  }
}
