// SPDX-License-Identifier: Apache-2.0
package org.netserv.media;

import java.util.Locale;

/** Signs of 5 by 7 dots: capitals, digits, and the marks of a short report. */
final class Glyphs {
  static final int COLUMNS = 5;
  static final int ROWS = 7;

  private static final int FIRST_BIT = 1 << (COLUMNS - 1);
  private static final int HEX = 16;
  private static final int LINE = 1 + 2 * ROWS;

  /** A sign, and its rows from the top: two hexadecimal digits each, the left dot first. */
  private static final String[] SIGNS = {
    "A0e11111f111111", "B1e11111e11111e", "C0e11101010110e", "D1c12111111121c",
    "E1f10101e10101f", "F1f10101e101010", "G0e11101711110f", "H1111111f111111",
    "I0e04040404040e", "J0702020202120c", "K11121418141211", "L1010101010101f",
    "M111b1515111111", "N11111915131111", "O0e11111111110e", "P1e11111e101010",
    "Q0e11111115120d", "R1e11111e141211", "S0f10100e01011e", "T1f040404040404",
    "U1111111111110e", "V11111111110a04", "W11111115151b11", "X11110a040a1111",
    "Y11110a04040404", "Z1f01020408101f", "00e11131519110e", "1040c040404040e",
    "20e11010204081f", "31f02040201110e", "402060a121f0202", "51f101e0101110e",
    "60608101e11110e", "71f010204080808", "80e11110e11110e", "90e11110f01020c",
    ".00000000000c0c", ",0000000c040408", ":000c0c000c0c00", "-0000001f000000",
    "+0004041f040400", "%18190204081303", "/00010204081000", "'04040800000000",
    "(02040808080402", ")08040202020408", "\u00b006090906000000", "!04040404000004",
    "?0e110102040004", "&0c12140815120d", "=00001f001f0000",
  };

  private Glyphs() {}

  /** Returns true if the sign has this dot. A character without a sign has none. */
  static boolean dot(char character, int column, int row) {
    String sign = sign(Character.toString(character).toUpperCase(Locale.ROOT));
    if (sign == null || column >= COLUMNS) {
      return false;
    }
    int bits = Integer.parseInt(sign.substring(1 + 2 * row, 3 + 2 * row), HEX);
    return (bits & (FIRST_BIT >> column)) != 0;
  }

  private static String sign(String character) {
    for (String sign : SIGNS) {
      if (sign.startsWith(character)) {
        assert sign.length() == LINE : sign;
        return sign;
      }
    }
    return null;
  }
}
