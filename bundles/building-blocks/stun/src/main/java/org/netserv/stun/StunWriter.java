// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

import java.nio.ByteBuffer;

/**
 * Writes one message into the caller's buffer. The header's length is right after each attribute.
 * Attributes that do not fit are left out, and the writer remembers that. Write everything, then
 * ask {@link #fits} once. The request that is answered must not lie in the same bytes.
 */
public final class StunWriter {
  private ByteBuffer buffer;
  private int start;
  private int at;
  private int end;
  private boolean fits;

  /**
   * Begins a message in {@code [first, stop)}.
   *
   * @param bytes big-endian
   * @param idHigh first 4 bytes of the transaction id
   * @param idLow last 8 bytes of the transaction id
   */
  public StunWriter begin(
      ByteBuffer bytes,
      int first,
      int stop,
      StunMethod method,
      StunClass kind,
      int idHigh,
      long idLow) {
    buffer = bytes;
    start = first;
    end = Math.min(stop, first + StunMessage.HEADER + 0xfffc);
    fits = end - first >= StunMessage.HEADER;
    if (fits) {
      bytes.putShort(first, (short) method.type(kind));
      bytes.putShort(first + 2, (short) 0);
      bytes.putInt(first + 4, StunMessage.COOKIE);
      bytes.putInt(first + 8, idHigh);
      bytes.putLong(first + 12, idLow);
    }
    at = fits ? first + StunMessage.HEADER : first;
    return this;
  }

  /** Begins the answer to a request, of the same method and transaction. */
  public StunWriter answer(
      ByteBuffer bytes, int first, int stop, StunMessage request, StunClass kind) {
    return begin(
        bytes,
        first,
        stop,
        request.method(),
        kind,
        request.transactionHigh(),
        request.transactionLow());
  }

  /** Tells whether everything has fitted until now. */
  public boolean fits() {
    return fits;
  }

  public ByteBuffer buffer() {
    return buffer;
  }

  /** Index of the header. */
  public int start() {
    return start;
  }

  /** Index behind the last attribute. */
  public int end() {
    return at;
  }

  /** Bytes of the whole message. */
  public int length() {
    return at - start;
  }

  /**
   * Adds an attribute whose value the caller fills in. The padding is 0.
   *
   * @return the index of the value, or -1 if it does not fit
   */
  public int add(StunAttribute type, int length) {
    int padded = StunMessage.padded(length);
    fits &= length <= 0xffff && end - at >= 4 + padded;
    if (!fits) {
      return -1;
    }
    int value = at + 4;
    buffer.putShort(at, (short) type.code());
    buffer.putShort(at + 2, (short) length);
    for (int i = length; i < padded; i++) {
      buffer.put(value + i, (byte) 0);
    }
    at = value + padded;
    length(length());
    return value;
  }

  /** Writes the header's length for a message of so many bytes in all. */
  private void length(int whole) {
    buffer.putShort(start + 2, (short) (whole - StunMessage.HEADER));
  }

  /** Adds a value of four bytes. */
  void put32(StunAttribute type, int value) {
    int index = add(type, 4);
    if (index >= 0) {
      buffer.putInt(index, value);
    }
  }

  /** Adds a value of eight bytes. */
  void put64(StunAttribute type, long value) {
    int index = add(type, 8);
    if (index >= 0) {
      buffer.putLong(index, value);
    }
  }
}
