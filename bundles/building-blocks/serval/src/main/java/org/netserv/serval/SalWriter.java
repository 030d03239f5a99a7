// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval;

import java.nio.ByteBuffer;

/**
 * Writes one SAL header into the caller's buffer. Extensions that do not fit are left out, and the
 * writer remembers that. Write everything, then call {@link #finish}, and ask {@link #fits} once.
 * The packet that is answered must not lie in the same bytes.
 */
public final class SalWriter {
  private static final int MOST = 255 * 4;

  private ByteBuffer buffer;
  private int start;
  private int at;
  private int end;
  private int extensions;
  private boolean fits;

  /**
   * Begins a header in {@code [first, stop)}.
   *
   * @param bytes big-endian
   * @param protocol of the transport, 6 for TCP, 17 for UDP
   */
  public SalWriter begin(
      ByteBuffer bytes, int first, int stop, int sourceFlow, int destinationFlow, int protocol) {
    buffer = bytes;
    start = first;
    end = Math.min(stop, first + MOST);
    extensions = 0;
    fits = end - first >= SalPacket.HEADER;
    if (fits) {
      bytes.putInt(first, sourceFlow);
      bytes.putInt(first + 4, destinationFlow);
      bytes.putInt(first + 8, (protocol & 0xff) << 16);
    }
    at = fits ? first + SalPacket.HEADER : first;
    return this;
  }

  /** Tells whether everything has fitted until now. */
  public boolean fits() {
    return fits;
  }

  public ByteBuffer buffer() {
    return buffer;
  }

  /** Returns the index of the header. */
  public int start() {
    return start;
  }

  /** Returns the index behind the last extension, where the transport's bytes go. */
  public int end() {
    return at;
  }

  /**
   * Adds an extension with its type and length. The caller fills in the bytes from index 2 on.
   *
   * @return the index of the extension, or -1 if it does not fit
   */
  int add(ExtensionType type, int length) {
    int extension = room(length);
    if (extension >= 0) {
      buffer.put(extension, (byte) (type.number() << 4));
      buffer.put(extension + 1, (byte) length);
    }
    return extension;
  }

  /** Adds an extension of which the caller fills in all bytes. Returns its index, or -1. */
  int room(int length) {
    fits &= length <= end - at && extensions < SalPacket.EXTENSIONS;
    if (!fits) {
      return -1;
    }
    extensions++;
    int extension = at;
    at += length;
    return extension;
  }

  /** Fills the last word with PADs, and writes the length and the checksum of the header. */
  public SalWriter finish() {
    while (fits && (at - start) % 4 != 0) {
      fits = at < end;
      if (fits) {
        buffer.put(at++, (byte) (ExtensionType.PAD << 4));
      }
    }
    if (fits) {
      buffer.put(start + 8, (byte) ((at - start) / 4));
      buffer.putShort(start + 10, (short) 0);
      buffer.putShort(start + 10, (short) SalChecksum.of(buffer, start, at));
    }
    return this;
  }
}
