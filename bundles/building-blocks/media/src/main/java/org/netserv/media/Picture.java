// SPDX-License-Identifier: Apache-2.0
package org.netserv.media;

import java.nio.ByteBuffer;

/** A picture in the format PNG, with transparent parts. Immutable. */
public final class Picture {
  private static final int MOST = 1 << 20;

  private final byte[] png;

  private Picture(byte[] png) {
    this.png = png;
  }

  /**
   * Takes a PNG.
   *
   * @throws IllegalArgumentException if it is empty or longer than 1 MiB
   */
  public static Picture of(byte[] png) {
    if (png.length == 0 || png.length > MOST) {
      throw new IllegalArgumentException("a PNG of 1 byte to 1 MiB, not " + png.length);
    }
    return new Picture(png.clone());
  }

  /**
   * Draws text: white letters on a dark, half transparent ground.
   *
   * @param text of at most 64 characters. Letters become capitals; a character that has no sign
   *     becomes a blank
   * @param scale pixels of a dot, 1 to 16. A letter has 5 by 7 dots
   * @throws IllegalArgumentException if the text is empty or too long, or the scale out of range
   */
  public static Picture text(String text, int scale) {
    return new Picture(PngWriter.of(new TextRaster(text, scale)));
  }

  /** Returns the bytes. */
  public byte[] png() {
    return png.clone();
  }

  ByteBuffer direct() {
    return ByteBuffer.allocateDirect(png.length).put(png).flip();
  }
}
