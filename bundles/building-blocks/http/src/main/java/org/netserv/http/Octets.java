// SPDX-License-Identifier: Apache-2.0
package org.netserv.http;

/** Classes of octets (RFC 9110, 5.5 and 5.6.2), and comparisons of ranges of an array. */
public final class Octets {
  private static final int TOKEN = 1;
  private static final int FIELD = 2;
  private static final int TARGET = 4;
  private static final int HOST = 8;

  private static final byte[] KINDS = kinds();

  private Octets() {}

  private static byte[] kinds() {
    byte[] kinds = new byte[256];
    for (int c = 0; c < kinds.length; c++) {
      kinds[c] = (byte) kinds(c);
    }
    return kinds;
  }

  private static int kinds(int c) {
    if (c >= 0x80 || c == ' ' || c == '\t') {
      return FIELD;
    }
    if (c < 0x21 || c == 0x7f) {
      return 0;
    }
    boolean alphanumeric = Character.isLetterOrDigit(c);
    int kinds = FIELD;
    kinds |= "\"#<>".indexOf(c) < 0 ? TARGET : 0;
    kinds |= alphanumeric || "!#$%&'*+-.^_`|~".indexOf(c) >= 0 ? TOKEN : 0;
    kinds |= alphanumeric || "-._~%!$&'()*+,;=".indexOf(c) >= 0 ? HOST : 0;
    return kinds;
  }

  /** Tells whether the octet may stand in a token. */
  public static boolean isToken(byte octet) {
    return (KINDS[octet & 0xff] & TOKEN) != 0;
  }

  /** Tells whether the octet may stand in a field value: visible, space, tab or obs-text. */
  public static boolean isField(byte octet) {
    return (KINDS[octet & 0xff] & FIELD) != 0;
  }

  /**
   * Tells whether the octet may stand in a request target. The class is wider than the grammar of
   * RFC 3986 by the octets that browsers send as they are.
   */
  static boolean isTarget(byte octet) {
    return (KINDS[octet & 0xff] & TARGET) != 0;
  }

  /** Tells whether the octet may stand in a registered name (RFC 3986, 3.2.2). */
  static boolean isHost(byte octet) {
    return (KINDS[octet & 0xff] & HOST) != 0;
  }

  /** Tells whether the octet is a decimal digit. */
  public static boolean isDigit(byte octet) {
    return octet >= '0' && octet <= '9';
  }

  /** Tells whether the octet is a space or a tab. */
  public static boolean isBlank(byte octet) {
    return octet == ' ' || octet == '\t';
  }

  /** Returns the octet, or its lower case if it is an upper-case letter of ASCII. */
  public static byte lower(byte octet) {
    return octet >= 'A' && octet <= 'Z' ? (byte) (octet + 32) : octet;
  }

  /** Tells whether the whole range is a token: one octet at least. */
  public static boolean areToken(byte[] bytes, int start, int end) {
    for (int i = start; i < end; i++) {
      if (!isToken(bytes[i])) {
        return false;
      }
    }
    return end > start;
  }

  /** Tells whether the whole range may stand in a field value. */
  public static boolean areField(byte[] bytes, int start, int end) {
    for (int i = start; i < end; i++) {
      if (!isField(bytes[i])) {
        return false;
      }
    }
    return true;
  }

  /** Compares two ranges without regard to the case of ASCII letters. */
  public static boolean same(byte[] a, int aStart, int aEnd, byte[] b, int bStart, int bEnd) {
    int length = aEnd - aStart;
    if (length != bEnd - bStart) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (lower(a[aStart + i]) != lower(b[bStart + i])) {
        return false;
      }
    }
    return true;
  }

  /** Compares a range with a word of ASCII without regard to case. */
  public static boolean same(byte[] bytes, int start, int end, String word) {
    if (end - start != word.length()) {
      return false;
    }
    for (int i = 0; i < word.length(); i++) {
      if (lower(bytes[start + i]) != lower((byte) word.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  /** Returns the index of the first octet that is no blank, at most the end. */
  public static int skipBlanks(byte[] bytes, int start, int end) {
    int at = start;
    while (at < end && isBlank(bytes[at])) {
      at++;
    }
    return at;
  }

  /** Returns the index behind the last octet that is no blank, at least the start. */
  public static int dropBlanks(byte[] bytes, int start, int end) {
    int at = end;
    while (at > start && isBlank(bytes[at - 1])) {
      at--;
    }
    return at;
  }

  /**
   * Reads a decimal number.
   *
   * @param most the largest answer, at most 2^62; larger numbers are answered as this one
   * @return the number, or -1 if the range is empty or has an octet that is no digit
   */
  public static long decimal(byte[] bytes, int start, int end, long most) {
    if (end <= start) {
      return -1;
    }
    long value = 0;
    for (int i = start; i < end; i++) {
      if (!isDigit(bytes[i])) {
        return -1;
      }
      int digit = bytes[i] - '0';
      value = value > (most - digit) / 10 ? most : value * 10 + digit;
    }
    return value;
  }
}
