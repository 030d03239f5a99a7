// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Byte classes, comparisons and searches over {@code [start, end)} of a buffer. The caller
 * guarantees that the range lies inside the buffer's limit.
 */
public final class Ascii {
  private static final long ONES = 0x0101010101010101L;
  private static final long SEVENS = 0x7f * ONES;
  private static final long ALL_CR = '\r' * ONES;
  private static final long ALL_LF = '\n' * ONES;

  /** token = 1*(alphanum / "-" / "." / "!" / "%" / "*" / "_" / "+" / "`" / "'" / "~") */
  private static final String MARKS = "-.!%*_+`'~";

  private static final long[] TOKEN = tokens();

  private Ascii() {}

  public static boolean isToken(byte c) {
    return c >= 0 && (TOKEN[c >>> 6] >>> (c & 63) & 1) != 0;
  }

  public static boolean isDigit(byte c) {
    return c >= '0' && c <= '9';
  }

  public static boolean isAlphanumeric(byte c) {
    int lower = c | 0x20;
    return isDigit(c) || (lower >= 'a' && lower <= 'z');
  }

  /** Linear white space inside a value: CR and LF stand there only as part of a checked fold. */
  public static boolean isSpace(byte c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
  }

  /** First index at or after {@code at} that is not linear white space, or {@code end}. */
  public static int skipSpace(ByteBuffer buffer, int at, int end) {
    int i = at;
    while (i < end && isSpace(buffer.get(i))) {
      i++;
    }
    return i;
  }

  /** The end of the range without trailing linear white space. */
  public static int trimEnd(ByteBuffer buffer, int start, int end) {
    int i = end;
    while (i > start && isSpace(buffer.get(i - 1))) {
      i--;
    }
    return i;
  }

  /** First index at or after {@code at} that is not a token character, or {@code end}. */
  public static int skipToken(ByteBuffer buffer, int at, int end) {
    int i = at;
    while (i < end && isToken(buffer.get(i))) {
      i++;
    }
    return i;
  }

  /**
   * Index behind the quoted string that begins at {@code at} (a double quote), or -1 when it does
   * not end. A backslash takes the next byte with it (RFC 3261, 25.1, quoted-pair).
   */
  public static int skipQuoted(ByteBuffer buffer, int at, int end) {
    for (int i = at + 1; i < end; i++) {
      byte c = buffer.get(i);
      if (c == '"') {
        return i + 1;
      }
      if (c == '\\') {
        i++;
      }
    }
    return -1;
  }

  public static boolean equal(ByteBuffer buffer, int start, int end, byte[] ascii) {
    if (end - start != ascii.length) {
      return false;
    }
    for (int i = 0; i < ascii.length; i++) {
      if (buffer.get(start + i) != ascii[i]) {
        return false;
      }
    }
    return true;
  }

  /** {@code lower} holds lower-case letters. */
  public static boolean equalIgnoreCase(ByteBuffer buffer, int start, int end, byte[] lower) {
    if (end - start != lower.length) {
      return false;
    }
    for (int i = 0; i < lower.length; i++) {
      byte c = buffer.get(start + i);
      if (c != lower[i] && !(c >= 'A' && c <= 'Z' && (c | 0x20) == lower[i])) {
        return false;
      }
    }
    return true;
  }

  /** The decimal number in the range, or -1 when it is not 1 to {@code maxDigits} (18) digits. */
  public static long number(ByteBuffer buffer, int start, int end, int maxDigits) {
    if (end <= start || end - start > maxDigits) {
      return -1;
    }
    long value = 0;
    for (int i = start; i < end; i++) {
      byte c = buffer.get(i);
      if (!isDigit(c)) {
        return -1;
      }
      value = value * 10 + (c - '0');
    }
    return value;
  }

  /**
   * Index of the first CR or LF at or after {@code at}, or {@code end}. Eight bytes a step: a byte
   * of {@code zeros(word ^ pattern)} has its top bit set exactly where the word holds the pattern.
   */
  public static int lineEnd(ByteBuffer buffer, int at, int end) {
    boolean bigEndian = buffer.order() == ByteOrder.BIG_ENDIAN;
    int i = at;
    for (; i <= end - Long.BYTES; i += Long.BYTES) {
      long word = buffer.getLong(i);
      long hits = zeros(word ^ ALL_CR) | zeros(word ^ ALL_LF);
      if (hits != 0) {
        int bits = bigEndian ? Long.numberOfLeadingZeros(hits) : Long.numberOfTrailingZeros(hits);
        return i + (bits >>> 3);
      }
    }
    while (i < end && buffer.get(i) != '\r' && buffer.get(i) != '\n') {
      i++;
    }
    return i;
  }

  /** Exact for each byte: no carry leaves a byte, so there are no false hits beside a true one. */
  private static long zeros(long x) {
    return ~(((x & SEVENS) + SEVENS) | x | SEVENS);
  }

  private static long[] tokens() {
    long[] set = new long[2];
    for (int c = 0; c < 128; c++) {
      if (isAlphanumeric((byte) c) || MARKS.indexOf(c) >= 0) {
        set[c >>> 6] |= 1L << (c & 63);
      }
    }
    return set;
  }
}
