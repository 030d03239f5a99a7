// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact.zip;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * Writes the plainest possible archive: no extra fields, no data descriptors, no comments. The same
 * items give the same bytes.
 */
public final class ZipWriter {
  private static final int VERSION_2_0 = 20;
  private static final int UTF8 = 1 << 11;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream directory = new ByteArrayOutputStream();

  private ZipWriter() {}

  /** The archive with these entries in this order. */
  public static byte[] write(List<ZipItem> items) {
    ZipWriter writer = new ZipWriter();
    for (ZipItem item : items) {
      writer.add(item);
    }
    return writer.finish(items.size());
  }

  private void add(ZipItem item) {
    byte[] name = item.name().getBytes(StandardCharsets.UTF_8);
    byte[] deflated = deflate(item.content());
    boolean stored = deflated.length >= item.content().length;
    byte[] data = stored ? item.content() : deflated;
    CRC32 crc = new CRC32();
    crc.update(item.content());
    int offset = out.size();

    // The fields that both headers share, from "version needed" to the length of the extra field.
    ByteArrayOutputStream common = new ByteArrayOutputStream();
    int16(common, VERSION_2_0);
    int16(common, name.length == item.name().length() ? 0 : UTF8);
    int16(common, stored ? CentralHeader.STORED : CentralHeader.DEFLATED);
    int32(common, item.time());
    int32(common, (int) crc.getValue());
    int32(common, data.length);
    int32(common, item.content().length);
    int16(common, name.length);
    int16(common, 0);

    int32(out, 0x04034b50);
    out.writeBytes(common.toByteArray());
    out.writeBytes(name);
    out.writeBytes(data);

    int32(directory, 0x02014b50);
    int16(directory, VERSION_2_0);
    directory.writeBytes(common.toByteArray());
    // Comment length, disk, internal and external attributes.
    directory.writeBytes(new byte[10]);
    int32(directory, offset);
    directory.writeBytes(name);
  }

  private byte[] finish(int count) {
    int start = out.size();
    out.writeBytes(directory.toByteArray());
    int32(out, 0x06054b50);
    int32(out, 0);
    int16(out, count);
    int16(out, count);
    int32(out, directory.size());
    int32(out, start);
    int16(out, 0);
    return out.toByteArray();
  }

  private static byte[] deflate(byte[] content) {
    Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION, true);
    try {
      deflater.setInput(content);
      deflater.finish();
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      byte[] buffer = new byte[8192];
      while (!deflater.finished()) {
        out.write(buffer, 0, deflater.deflate(buffer));
      }
      return out.toByteArray();
    } finally {
      deflater.end();
    }
  }

  private static void int16(ByteArrayOutputStream out, int value) {
    out.write(value);
    out.write(value >> 8);
  }

  private static void int32(ByteArrayOutputStream out, int value) {
    int16(out, value);
    int16(out, value >> 16);
  }
}
