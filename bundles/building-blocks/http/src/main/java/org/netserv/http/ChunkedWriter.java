// SPDX-License-Identifier: Apache-2.0
package org.netserv.http;

/**
 * Writes what stands around the bytes of chunks (RFC 9112, 7.1).
 *
 * <pre>
 *   head(size)  bytes  CRLF     head(size)  bytes  CRLF     LAST
 * </pre>
 *
 * Neither extensions nor trailers are written.
 */
public final class ChunkedWriter {
  /** The most bytes of a chunk's head. */
  public static final int HEAD = 18;

  private static final String DIGITS = "0123456789abcdef";

  private ChunkedWriter() {}

  /**
   * Writes the head of a chunk.
   *
   * @param size of the chunk, at least 1, because a chunk of no bytes ends the content
   * @param at where the head begins in an array that has room for HEAD bytes
   * @return the index behind the head
   */
  public static int head(long size, byte[] out, int at) {
    if (size < 1) {
      throw new IllegalArgumentException("a chunk has at least 1 byte, not " + size);
    }
    int digits = (67 - Long.numberOfLeadingZeros(size)) / 4;
    for (int i = digits - 1; i >= 0; i--) {
      out[at + digits - 1 - i] = (byte) DIGITS.charAt((int) (size >>> (4 * i)) & 0xf);
    }
    return line(out, at + digits);
  }

  /** Writes the line end behind the bytes of a chunk. Returns the index behind it. */
  public static int line(byte[] out, int at) {
    out[at] = '\r';
    out[at + 1] = '\n';
    return at + 2;
  }

  /** Writes the last chunk and the end of the trailers, which are none. */
  public static int last(byte[] out, int at) {
    out[at] = '0';
    return line(out, line(out, at + 1));
  }
}
