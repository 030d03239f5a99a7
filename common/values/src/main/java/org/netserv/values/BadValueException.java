// SPDX-License-Identifier: Apache-2.0
package org.netserv.values;

/**
 * A single value (a prefix, a port range, a key) that does not read. The message says why, in words
 * for its author.
 */
public final class BadValueException extends Exception {
  private static final long serialVersionUID = 1L;

  /** The longest piece of a foreign value that is quoted back. */
  private static final int QUOTED = 60;

  public BadValueException(String reason) {
    super(reason);
  }

  public BadValueException(String reason, Throwable cause) {
    super(reason, cause);
  }

  /**
   * The value between quotes, cut, with all but printable ASCII replaced: safe in a log line and on
   * a terminal.
   */
  public static String quote(String value) {
    StringBuilder text = new StringBuilder("'");
    for (int i = 0; i < Math.min(value.length(), QUOTED); i++) {
      char c = value.charAt(i);
      text.append(c >= 0x20 && c < 0x7f ? c : '?');
    }
    return text.append(value.length() > QUOTED ? "...'" : "'").toString();
  }
}
