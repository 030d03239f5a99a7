// SPDX-License-Identifier: Apache-2.0
package org.netserv.process;

/**
 * Bounds text that a less trusted process or a stranger wrote. The result fits one line of a log,
 * an answer and the memory of a daemon: at most {@link #MAX} characters, each of them printable.
 */
public final class ForeignText {
  /** Characters (UTF-16 units) that are kept of a text. */
  public static final int MAX = 512;

  private static final String CUT = "...";
  private static final char UNPRINTABLE = '?';

  private ForeignText() {}

  /**
   * Returns the text with each unprintable character replaced by a question mark. A text of more
   * than {@link #MAX} characters is cut and ends in three dots. The cost depends on the kept
   * characters, never on the length of the text.
   *
   * @param text null counts as empty
   */
  public static String bounded(String text) {
    return bounded(text, MAX);
  }

  /**
   * Returns the text as {@link #bounded(String)} does, with a limit of its own.
   *
   * @param max characters that are kept, at least 3
   */
  public static String bounded(String text, int max) {
    if (text == null) {
      return "";
    }
    boolean cut = text.length() > max;
    int end = cut ? max - CUT.length() : text.length();
    StringBuilder kept = new StringBuilder(Math.min(text.length(), max));
    for (int i = 0; i < end; ) {
      int point = text.codePointAt(i);
      int next = i + Character.charCount(point);
      if (next > end) {
        break; // The cut goes through a pair of surrogates.
      }
      kept.appendCodePoint(printable(point) ? point : UNPRINTABLE);
      i = next;
    }
    return cut ? kept.append(CUT).toString() : kept.toString();
  }

  /** Tells whether a character shows on a terminal without changing the text around it. */
  private static boolean printable(int point) {
    return switch (Character.getType(point)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.PRIVATE_USE,
          Character.SURROGATE,
          Character.UNASSIGNED ->
          false;
      default -> true;
    };
  }
}
