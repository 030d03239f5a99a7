// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Arithmetic on eight bytes at once. The first byte of a word is its highest. A mark is a word with
 * the top bit of each byte found, and the first mark leads to the first byte:
 *
 * <pre>
 *   word    T  o  :  SP <  s  i  p         zeros(word ^ COLONS)
 *   marks   00 00 80 00 00 00 00 00        first(marks) = 2
 * </pre>
 *
 * The marks are exact: no carry leaves its byte.
 */
final class ByteWords {
  static final long ONES = 0x0101010101010101L;
  static final long SEVENS = 0x7f * ONES;
  static final long TOPS = ~SEVENS;
  static final long BLANKS = ' ' * ONES;
  static final long COLONS = ':' * ONES;
  static final long RETURNS = '\r' * ONES;
  static final long FEEDS = '\n' * ONES;

  private ByteWords() {}

  /** Reads the word at an index of a buffer of any byte order. */
  static long at(ByteBuffer buffer, int index) {
    long word = buffer.getLong(index);
    return buffer.order() == ByteOrder.BIG_ENDIAN ? word : Long.reverseBytes(word);
  }

  /** Reads four bytes at an index of a buffer of any byte order. */
  static int half(ByteBuffer buffer, int index) {
    int half = buffer.getInt(index);
    return buffer.order() == ByteOrder.BIG_ENDIAN ? half : Integer.reverseBytes(half);
  }

  /** Marks the bytes that are zero. */
  static long zeros(long word) {
    return ~(((word & SEVENS) + SEVENS) | word | SEVENS);
  }

  /** Returns the place, 0 to 7, of the first mark; 8 if there is none. */
  static int first(long marks) {
    return Long.numberOfLeadingZeros(marks) >>> 3;
  }

  /** Returns the first {@code count} bytes, 0 to 8, with zeros in place of the others. */
  static long keep(long word, int count) {
    return count == 0 ? 0 : word & -1L << (64 - 8 * count);
  }

  /** Makes the capital letters small and leaves all other bytes as they are. */
  static long lower(long word) {
    return word | between(word, 'A', 'Z') >>> 2;
  }

  /** Marks the bytes from {@code low} to {@code high}, two ASCII characters. */
  static long between(long word, char low, char high) {
    long rest = word & SEVENS;
    return rest + (0x80 - low) * ONES & ~(rest + (0x7f - high) * ONES) & ~word & TOPS;
  }

  /** Tells whether a byte is below a blank, as every line end is. */
  static boolean hasControl(long word) {
    return (word - BLANKS & ~word & TOPS) != 0;
  }

  /** Marks the bytes that end a line. */
  static long lineEnds(long word) {
    return zeros(word ^ RETURNS) | zeros(word ^ FEEDS);
  }

  /** Marks the bytes that no URI has: blanks, controls, not ASCII, and three delimiters. */
  static long notUri(long word) {
    long angles = zeros((word | 2 * ONES) ^ '>' * ONES); // '<' is '>' without this bit
    return (~between(word, '!', '~') & TOPS) | angles | zeros(word ^ '"' * ONES);
  }
}
