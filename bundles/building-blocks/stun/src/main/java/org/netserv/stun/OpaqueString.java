// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

import java.text.Normalizer;

/**
 * Prepares user names, realms and passwords by SASLprep (RFC 4013), with the JDK's normaliser and
 * its Unicode version in place of Unicode 3.2. RFC 8489 names the profile OpaqueString (RFC 8265).
 * The vectors of both RFC 5769 and RFC 8489 expect SASLprep of "The&lt;U+00AD&gt;M&lt;U+00AA&gt;
 * tr&lt;U+2168&gt;", and clients of RFC 5389 use SASLprep. For text of letters, digits, marks and
 * ASCII that is in form NFKC the two agree. The rule for bidirectional text is left out, as in RFC
 * 8265.
 */
public final class OpaqueString {
  private OpaqueString() {}

  /**
   * Returns the prepared text. ASCII returns as it is.
   *
   * @param field the name that a refusal gives the text
   * @throws IllegalArgumentException naming the field, if the text has a forbidden character
   */
  public static String prepare(String field, String text) {
    if (isPrintableAscii(text)) {
      return text; // nothing of it is mapped, and the normaliser's tables need not be read
    }
    StringBuilder mapped = new StringBuilder(text.length());
    text.codePoints().forEach(point -> map(point, mapped));
    String normal = Normalizer.normalize(mapped, Normalizer.Form.NFKC);
    normal.codePoints().forEach(point -> check(field, point));
    return normal;
  }

  private static boolean isPrintableAscii(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) < ' ' || text.charAt(i) > '~') {
        return false;
      }
    }
    return true;
  }

  /** Maps by 2.1: spaces to U+0020, and characters of "commonly mapped to nothing" to nothing. */
  private static void map(int point, StringBuilder out) {
    if ((point > 0x7f && Character.getType(point) == Character.SPACE_SEPARATOR)
        || point == 0x200b) {
      out.append(' ');
    } else if (!isNothing(point)) {
      out.appendCodePoint(point);
    }
  }

  /** RFC 3454, table B.1. */
  private static boolean isNothing(int point) {
    return point == 0x00ad
        || point == 0x034f
        || point == 0x1806
        || (point >= 0x180b && point <= 0x180d)
        || point == 0x200c
        || point == 0x200d
        || point == 0x2060
        || (point >= 0xfe00 && point <= 0xfe0f)
        || point == 0xfeff;
  }

  /** Refuses by 2.3: control, private use, unassigned, surrogate and tag characters. */
  private static void check(String field, int point) {
    boolean forbidden =
        switch (Character.getType(point)) {
          case Character.CONTROL,
              Character.FORMAT,
              Character.LINE_SEPARATOR,
              Character.PARAGRAPH_SEPARATOR,
              Character.PRIVATE_USE,
              Character.SURROGATE,
              Character.UNASSIGNED ->
              true;
          default -> (point >= 0xfff9 && point <= 0xfffd) || (point >= 0x2ff0 && point <= 0x2ffb);
        };
    if (forbidden) {
      throw new IllegalArgumentException(field + ": forbidden character U+%04X".formatted(point));
    }
  }
}
