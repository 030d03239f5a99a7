// SPDX-License-Identifier: Apache-2.0
package org.netserv.media;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PictureTest {
  private static final int INK = 0xffffffff;
  private static final int GROUND = 0x80000000;

  /** The JDK's own reader must understand the file, each pixel. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 16})
  void aPictureIsAPngWithTheDotsOfItsText(int scale) throws IOException {
    String text = "72\u00b0F Sunny, 5%";
    TextRaster raster = new TextRaster(text, scale);
    BufferedImage image = ImageIO.read(new ByteArrayInputStream(Picture.text(text, scale).png()));
    assertEquals(raster.width(), image.getWidth());
    assertEquals(raster.height(), image.getHeight());
    for (int y = 0; y < image.getHeight(); y++) {
      for (int x = 0; x < image.getWidth(); x++) {
        assertEquals(raster.ink(x, y) ? INK : GROUND, image.getRGB(x, y), x + "," + y);
      }
    }
  }

  @Test
  void eachSignHasItsRows() {
    String signs = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,:-+%/'()\u00b0!?&=";
    for (int i = 0; i < signs.length(); i++) {
      char sign = signs.charAt(i);
      int dots = 0;
      for (int row = 0; row < Glyphs.ROWS; row++) {
        for (int column = 0; column < Glyphs.COLUMNS; column++) {
          dots += Glyphs.dot(sign, column, row) ? 1 : 0;
        }
      }
      assertTrue(dots >= 2 && dots < 25, sign + " " + dots);
    }
    assertTrue(Glyphs.dot('T', 2, 6));
    assertFalse(Glyphs.dot('T', 0, 6));
    assertTrue(Glyphs.dot('l', 0, 0), "small letters are capitals");
  }

  @Test
  void aCharacterWithoutASignIsBlank() {
    for (char character : new char[] {' ', '\n', '\u0000', '\ud800', '\u4e2d'}) {
      for (int row = 0; row < Glyphs.ROWS; row++) {
        assertFalse(Glyphs.dot(character, 2, row));
      }
    }
  }

  @Test
  void textAndScaleHaveBounds() {
    assertThrows(IllegalArgumentException.class, () -> Picture.text(" ", 1));
    assertThrows(IllegalArgumentException.class, () -> Picture.text("x".repeat(65), 1));
    assertThrows(IllegalArgumentException.class, () -> Picture.text("x", 0));
    assertThrows(IllegalArgumentException.class, () -> Picture.text("x", 17));
    assertThrows(IllegalArgumentException.class, () -> Picture.of(new byte[0]));
    assertThrows(IllegalArgumentException.class, () -> Picture.of(new byte[(1 << 20) + 1]));
  }
}
