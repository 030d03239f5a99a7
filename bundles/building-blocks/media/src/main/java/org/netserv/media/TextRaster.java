// SPDX-License-Identifier: Apache-2.0
package org.netserv.media;

/**
 * Text as dots. Without java.awt: its fonts are a matter of the machine, and natives of the JDK.
 */
final class TextRaster {
  private static final int MOST_TEXT = 64;
  private static final int MOST_SCALE = 16;
  private static final int MARGIN = 2; // dots
  private static final int ADVANCE = Glyphs.COLUMNS + 1;

  private final String text;
  private final int scale;

  TextRaster(String text, int scale) {
    if (text.isBlank() || text.length() > MOST_TEXT) {
      throw new IllegalArgumentException("text: 1 to " + MOST_TEXT + " characters");
    }
    if (scale < 1 || scale > MOST_SCALE) {
      throw new IllegalArgumentException("scale: 1 to " + MOST_SCALE + ", not " + scale);
    }
    this.text = text;
    this.scale = scale;
  }

  int width() {
    return scale * (text.length() * ADVANCE - 1 + 2 * MARGIN);
  }

  int height() {
    return scale * (Glyphs.ROWS + 2 * MARGIN);
  }

  /** Returns true if the pixel is a part of a letter. */
  boolean ink(int x, int y) {
    int column = x / scale - MARGIN;
    int row = y / scale - MARGIN;
    if (column < 0 || row < 0 || row >= Glyphs.ROWS || column / ADVANCE >= text.length()) {
      return false;
    }
    return Glyphs.dot(text.charAt(column / ADVANCE), column % ADVANCE, row);
  }
}
