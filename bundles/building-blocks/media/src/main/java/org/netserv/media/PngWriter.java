// SPDX-License-Identifier: Apache-2.0
package org.netserv.media;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/** Writes a raster as PNG with a palette of two colours: the ground, half transparent, and ink. */
final class PngWriter {
  private static final long SIGNATURE = 0x89504e470d0a1a0aL;
  private static final byte BITS = 1;
  private static final byte PALETTE = 3;
  private static final byte[] COLOURS = {0, 0, 0, -1, -1, -1};
  private static final byte[] OPACITY = {(byte) 0x80, -1};
  private static final int PIXELS = 8; // in a byte

  private final ByteArrayOutputStream png = new ByteArrayOutputStream();

  private PngWriter() {}

  static byte[] of(TextRaster raster) {
    PngWriter writer = new PngWriter();
    writer.png.writeBytes(ByteBuffer.allocate(Long.BYTES).putLong(SIGNATURE).array());
    writer.chunk("IHDR", head(raster));
    writer.chunk("PLTE", COLOURS);
    writer.chunk("tRNS", OPACITY);
    writer.chunk("IDAT", deflated(rows(raster)));
    writer.chunk("IEND", new byte[0]);
    return writer.png.toByteArray();
  }

  /** Ends with three zeros: the usual compression and filters, not interlaced. */
  private static byte[] head(TextRaster raster) {
    return ByteBuffer.allocate(13)
        .putInt(raster.width())
        .putInt(raster.height())
        .put(BITS)
        .put(PALETTE)
        .array();
  }

  /** Returns the rows, each behind the number of its filter, which is 0. */
  private static byte[] rows(TextRaster raster) {
    int stride = 1 + (raster.width() + PIXELS - 1) / PIXELS;
    byte[] rows = new byte[stride * raster.height()];
    for (int y = 0; y < raster.height(); y++) {
      for (int x = 0; x < raster.width(); x++) {
        if (raster.ink(x, y)) {
          rows[y * stride + 1 + x / PIXELS] |= (byte) (0x80 >> (x % PIXELS));
        }
      }
    }
    return rows;
  }

  private static byte[] deflated(byte[] rows) {
    Deflater deflater = new Deflater();
    try {
      deflater.setInput(rows);
      deflater.finish();
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      byte[] part = new byte[1024];
      while (!deflater.finished()) {
        out.write(part, 0, deflater.deflate(part));
      }
      return out.toByteArray();
    } finally {
      deflater.end();
    }
  }

  private void chunk(String name, byte[] content) {
    byte[] type = name.getBytes(StandardCharsets.US_ASCII);
    CRC32 sum = new CRC32();
    sum.update(type);
    sum.update(content);
    png.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(content.length).array());
    png.writeBytes(type);
    png.writeBytes(content);
    png.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt((int) sum.getValue()).array());
  }
}
