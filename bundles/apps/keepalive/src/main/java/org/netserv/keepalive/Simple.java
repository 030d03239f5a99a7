// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

/**
 * Classifies the bytes of a word, eight at once. A byte outside the class gets its top bit set in
 * the result, and all other bits are 0.
 */
final class Simple {
  private static final long ONES = 0x0101010101010101L;
  private static final long TOPS = ~(0x7f * ONES);

  private Simple() {}

  /** Marks each byte that is not a letter, a digit or one of "-._". */
  static long not(long word) {
    long simple =
        between(word | 0x20 * ONES, 'a', 'z') | between(word, '0', '9') | between(word, '-', '.');
    return ~(simple | between(word, '_', '_')) & TOPS;
  }

  static long notDigit(long word) {
    return ~between(word, '0', '9') & TOPS;
  }

  private static long between(long word, char low, char high) {
    long rest = word & ~TOPS;
    return rest + (0x80 - low) * ONES & ~(rest + (0x7f - high) * ONES) & ~word & TOPS;
  }
}
