// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.capture;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Reads the classic capture file of {@code tcpdump -w} frame by frame.
 *
 * <pre>
 *   magic32 | version16 version16 | zone32 | sigfigs32 | snaplen32 | linktype32      24 bytes, once
 *   seconds32 | fraction32 | captured32 | length32 | bytes[captured]                 per frame
 * </pre>
 *
 * The magic shows the byte order, and if fractions are micro- or nanoseconds. A file that ends
 * within a frame (its writer was killed) ends before that frame, and {@link #truncated} says so.
 */
public final class PcapReader implements Closeable {
  static final int ETHERNET = 1;

  private static final int MICROS = 0xa1b2c3d4;
  private static final int NANOS = 0xa1b23c4d;
  private static final int FILE_HEADER = 24;
  private static final int FRAME_HEADER = 16;
  private static final int FRAME_MAX = 262_144;

  private final InputStream in;
  private final ByteOrder order;
  private final int fractionNanos;
  private final byte[] buffer = new byte[FRAME_MAX];
  private boolean truncated;
  private boolean ended;

  /**
   * Reads the file's header.
   *
   * @throws IOException if it is not such a file, or not of Ethernet frames
   */
  public PcapReader(InputStream in) throws IOException {
    this.in = in;
    byte[] header = in.readNBytes(FILE_HEADER);
    if (header.length < FILE_HEADER) {
      throw new IOException("capture file: " + header.length + " bytes, less than its header");
    }
    ByteBuffer fields = ByteBuffer.wrap(header);
    int magic = fields.getInt(0);
    boolean big = magic == MICROS || magic == NANOS;
    this.order = big ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    magic = fields.order(order).getInt(0);
    if (magic != MICROS && magic != NANOS) {
      throw new IOException("capture file: magic %08x".formatted(magic));
    }
    this.fractionNanos = magic == MICROS ? 1000 : 1;
    int link = fields.getInt(20) & 0xffff;
    if (link != ETHERNET) {
      throw new IOException("capture file: link type " + link + ", expected Ethernet");
    }
  }

  /**
   * Reads the next frame.
   *
   * @return null at the end
   * @throws IOException if a length makes no sense
   */
  public Frame next() throws IOException {
    if (ended) {
      return null;
    }
    byte[] header = in.readNBytes(FRAME_HEADER);
    if (header.length < FRAME_HEADER) {
      return end(header.length > 0);
    }
    ByteBuffer fields = ByteBuffer.wrap(header).order(order);
    long seconds = fields.getInt(0) & 0xffff_ffffL;
    long fraction = fields.getInt(4) & 0xffff_ffffL;
    int captured = fields.getInt(8);
    if (captured < 0 || captured > FRAME_MAX) {
      throw new IOException("capture file: a frame of " + (captured & 0xffff_ffffL) + " bytes");
    }
    if (in.readNBytes(buffer, 0, captured) < captured) {
      return end(true);
    }
    return new Frame(
        seconds * 1_000_000_000L + fraction * fractionNanos, ByteBuffer.wrap(buffer, 0, captured));
  }

  private Frame end(boolean within) {
    truncated = within;
    ended = true;
    return null;
  }

  /**
   * Returns true if the file ended within a frame. The value is known after {@link #next} has
   * returned null.
   */
  public boolean truncated() {
    return truncated;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }

  /**
   * One frame.
   *
   * @param nanos since 1970
   * @param bytes from the Ethernet header on; valid until the next frame is read
   */
  public record Frame(long nanos, ByteBuffer bytes) {}
}
