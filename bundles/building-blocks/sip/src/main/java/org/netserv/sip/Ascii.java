// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip;

import java.nio.ByteBuffer;

/**
 * Byte classes, comparisons and searches over {@code [start, end)} of a buffer. The caller
 * guarantees that the range lies inside the buffer's limit.
 */
public final class Ascii {
  // Classes of bytes, one bit each.
  static final int SPACE = 1;
  static final int DIGIT = 2;
  static final int ALPHANUMERIC = 4;
  static final int TOKEN = 8;

  /**
   * Class of the bytes of a host name. Underscores occur in real names, although RFC 3261 has none.
   */
  static final int HOST = 16;

  /**
   * Class of the bytes of a parameter's value, which is a token, or a host with its brackets and
   * colons.
   */
  static final int VALUE = 32;

  /** Printable, and no delimiter of a URI. */
  static final int URI = 64;

  static final int PRINTABLE = 128;

  /** token = 1*(alphanum / "-" / "." / "!" / "%" / "*" / "_" / "+" / "`" / "'" / "~") */
  private static final String MARKS = "-.!%*_+`'~";

  private static final byte[] CLASSES = classes();

  private Ascii() {}

  /** Is it of one of these classes? */
  static boolean is(byte c, int classes) {
    return (CLASSES[c & 0xff] & classes) != 0;
  }

  /**
   * Returns the first index at or after {@code at} with a byte of none of these classes, or {@code
   * end}.
   */
  static int skip(ByteBuffer buffer, int at, int end, int classes) {
    int i = at;
    while (i < end && is(buffer.get(i), classes)) {
      i++;
    }
    return i;
  }

  public static boolean isToken(byte c) {
    return is(c, TOKEN);
  }

  public static boolean isDigit(byte c) {
    return c >= '0' && c <= '9';
  }

  public static boolean isAlphanumeric(byte c) {
    return is(c, ALPHANUMERIC);
  }

  /** Linear white space inside a value: CR and LF stand there only as part of a checked fold. */
  public static boolean isSpace(byte c) {
    return is(c, SPACE);
  }

  /** First index at or after {@code at} that is not linear white space, or {@code end}. */
  public static int skipSpace(ByteBuffer buffer, int at, int end) {
    return skip(buffer, at, end, SPACE);
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
    return skip(buffer, at, end, TOKEN);
  }

  /**
   * First index at or after {@code at} that is white space, a control or not ASCII, or {@code end}.
   */
  public static int skipPrintable(ByteBuffer buffer, int at, int end) {
    return skip(buffer, at, end, PRINTABLE);
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

  /** Returns the index of the first CR or LF at or after {@code at}, or {@code end}. */
  public static int lineEnd(ByteBuffer buffer, int at, int end) {
    int i = at;
    for (; i <= end - Long.BYTES; i += Long.BYTES) {
      long word = ByteWords.at(buffer, i);
      if (ByteWords.hasControl(word)) { // perhaps a tab
        long hits = ByteWords.lineEnds(word);
        if (hits != 0) {
          return i + ByteWords.first(hits);
        }
      }
    }
    while (i < end && buffer.get(i) != '\r' && buffer.get(i) != '\n') {
      i++;
    }
    return i;
  }

  /** Returns the index of the first of these bytes at or after {@code at}, or {@code end}. */
  static int indexOf(ByteBuffer buffer, int at, int end, char ascii) {
    int i = at;
    for (; i <= end - Long.BYTES; i += Long.BYTES) {
      long hits = ByteWords.zeros(ByteWords.at(buffer, i) ^ ascii * ByteWords.ONES);
      if (hits != 0) {
        return i + ByteWords.first(hits);
      }
    }
    while (i < end && buffer.get(i) != ascii) {
      i++;
    }
    return i;
  }

  /** Returns the first index at or after {@code at} with a byte that no URI has, or {@code end}. */
  static int skipUri(ByteBuffer buffer, int at, int end) {
    int i = at;
    for (; i <= end - Long.BYTES; i += Long.BYTES) {
      long hits = ByteWords.notUri(ByteWords.at(buffer, i));
      if (hits != 0) {
        return i + ByteWords.first(hits);
      }
    }
    return skip(buffer, i, end, URI);
  }

  /**
   * Returns the first eight bytes of {@code [start, end)}, or all bytes if there are fewer. The
   * first byte is the highest, and zeros stand in place of missing bytes. Two ranges of the same
   * length up to eight are equal if their words are.
   */
  public static long word(ByteBuffer buffer, int start, int end) {
    int length = end - start;
    if (start <= buffer.limit() - Long.BYTES) {
      return ByteWords.keep(ByteWords.at(buffer, start), Math.max(0, Math.min(length, Long.BYTES)));
    }
    long word = 0;
    for (int i = 0; i < Math.min(length, Long.BYTES); i++) {
      word |= (buffer.get(start + i) & 0xffL) << (56 - 8 * i);
    }
    return word;
  }

  /** Returns the word of these bytes, as {@link #word(ByteBuffer, int, int)} finds it. */
  static long word(byte[] ascii) {
    return word(ByteBuffer.wrap(ascii), 0, ascii.length);
  }

  private static byte[] classes() {
    byte[] classes = new byte[256];
    for (int c = 0; c < 0x80; c++) {
      boolean digit = c >= '0' && c <= '9';
      boolean alphanumeric = digit || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
      boolean token = alphanumeric || MARKS.indexOf(c) >= 0;
      boolean printable = c > ' ' && c < 0x7f;
      int all = c == ' ' || c == '\t' || c == '\r' || c == '\n' ? SPACE : 0;
      all |= digit ? DIGIT : 0;
      all |= alphanumeric ? ALPHANUMERIC : 0;
      all |= token ? TOKEN : 0;
      all |= alphanumeric || "-._".indexOf(c) >= 0 ? HOST : 0;
      all |= token || "[]:".indexOf(c) >= 0 ? VALUE : 0;
      all |= printable && "<>\"".indexOf(c) < 0 ? URI : 0;
      all |= printable ? PRINTABLE : 0;
      classes[c] = (byte) all;
    }
    return classes;
  }
}
