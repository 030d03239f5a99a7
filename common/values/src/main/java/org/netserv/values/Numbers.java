// SPDX-License-Identifier: Apache-2.0
package org.netserv.values;

/**
 * ASCII digits only: the JDK's own parsers also take signs, leading zeros and the digits of other
 * scripts.
 */
public final class Numbers {
  private Numbers() {}

  /**
   * The value of a decimal without sign or leading zeros, or -1 when it is not one or exceeds the
   * limit.
   */
  public static int decimal(String text, int limit) {
    if (!isDecimal(text) || text.length() > 10) {
      return -1;
    }
    long value = Long.parseLong(text);
    return value <= limit ? (int) value : -1;
  }

  public static boolean isDecimal(String text) {
    if (text.isEmpty() || (text.length() > 1 && text.charAt(0) == '0')) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) < '0' || text.charAt(i) > '9') {
        return false;
      }
    }
    return true;
  }

  public static int inRange(String text, int low, int high, String what) throws BadValueException {
    int value = decimal(text, high);
    if (value < low) {
      throw new BadValueException(
          "not " + what + " from " + low + " to " + high + ": " + BadValueException.quote(text));
    }
    return value;
  }

  public static int hexDigit(char c) {
    if (c >= '0' && c <= '9') {
      return c - '0';
    }
    char lower = (char) (c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
  }
}
