// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

import java.nio.ByteBuffer;

/**
 * A view of one message (RFC 8489, 5 and 14):
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +---+---------------------------+-------------------------------+
 *   |0 0|  type: method and class   |  length behind byte 20        |  0
 *   +---+---------------------------+-------------------------------+
 *   |                   magic cookie, 0x2112A442                    |  4
 *   +---------------------------------------------------------------+
 *   |                   transaction id, 12 bytes                    |  8
 *   +-------------------------------+-------------------------------+
 *   |  attribute type               |  length of the value          | 20
 *   +-------------------------------+-------------------------------+
 *   |  value, padded to 4 bytes with bytes that mean nothing ...
 *
 *   type:  M11 M10 M9 M8 M7 C1 M6 M5 M4 C0 M3 M2 M1 M0
 * </pre>
 *
 * {@link #reset} points the view at a range and checks each length once. The view holds until the
 * next reset, or until the bytes change. An attribute is known by the index of its first byte. The
 * attributes behind MESSAGE-INTEGRITY and MESSAGE-INTEGRITY-SHA256 are not found, as 14.5 and 14.6
 * demand, except those two and FINGERPRINT.
 */
public final class StunMessage {
  /** Bytes in front of the attributes. */
  public static final int HEADER = 20;

  /** Bytes 4 to 7 of each message. */
  public static final int COOKIE = 0x2112a442;

  private static final int ATTRIBUTE_HEADER = 4;

  private ByteBuffer buffer;
  private int start;
  private int end;
  private int open; // end of the attributes in front of the check values
  private int integrity; // index, -1 = absent
  private int integritySha256;
  private int fingerprint;

  /**
   * Tells whether the range may be a message: long enough, top bits 0, cookie in place. RTP, DTLS,
   * SIP and ChannelData are none.
   */
  public static boolean isLikely(ByteBuffer bytes, int first, int stop) {
    return stop - first >= HEADER
        && (bytes.get(first) & 0xc0) == 0
        && bytes.getInt(first + 4) == COOKIE;
  }

  /**
   * Points the view at {@code [first, stop)}, which has to be one whole message.
   *
   * @param bytes big-endian
   * @return OK, or the fault. From ATTRIBUTE_LENGTH on, the header may be read.
   */
  public StunError reset(ByteBuffer bytes, int first, int stop) {
    buffer = bytes;
    start = first;
    end = stop;
    open = stop;
    integrity = -1;
    integritySha256 = -1;
    fingerprint = -1;
    StunError error = header();
    return error == StunError.OK ? attributes() : error;
  }

  private StunError header() {
    if (start < 0 || end < start || end > buffer.limit()) {
      return StunError.RANGE;
    }
    if (end - start < HEADER) {
      return StunError.SHORT;
    }
    if ((buffer.get(start) & 0xc0) != 0) {
      return StunError.TYPE;
    }
    if (buffer.getInt(start + 4) != COOKIE) {
      return StunError.COOKIE;
    }
    int length = buffer.getShort(start + 2) & 0xffff;
    return length == end - start - HEADER && length % 4 == 0 ? StunError.OK : StunError.LENGTH;
  }

  private StunError attributes() {
    for (int at = start + HEADER; at < end; at = after(at)) {
      if (after(at) > end) { // a header always fits: all lengths are multiples of 4
        return StunError.ATTRIBUTE_LENGTH;
      }
      if (fingerprint >= 0) {
        return StunError.FINGERPRINT_PLACE;
      }
      StunAttribute type = StunAttribute.of(code(at));
      if (type == null || isIgnored(type)) {
        continue;
      }
      if (!type.mayHave(length(at))) {
        return StunError.VALUE_LENGTH;
      }
      note(type, at);
    }
    return StunError.OK;
  }

  /** Tells whether the type stands behind a check value that forbids it (14.5, 14.6). */
  private boolean isIgnored(StunAttribute type) {
    return switch (type) {
      case FINGERPRINT -> false;
      case MESSAGE_INTEGRITY_SHA256 -> integritySha256 >= 0;
      default -> integrity >= 0 || integritySha256 >= 0;
    };
  }

  private void note(StunAttribute type, int at) {
    switch (type) {
      case MESSAGE_INTEGRITY -> integrity = at;
      case MESSAGE_INTEGRITY_SHA256 -> integritySha256 = at;
      case FINGERPRINT -> fingerprint = at;
      default -> {
        return;
      }
    }
    open = Math.min(open, at);
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
    return end;
  }

  /** The message type, method and class in one number. */
  public int type() {
    return buffer.getShort(start) & 0xffff;
  }

  public StunMethod method() {
    return StunMethod.ofType(type());
  }

  public StunClass kind() {
    return StunClass.ofType(type());
  }

  public boolean is(StunMethod method, StunClass kind) {
    return type() == method.type(kind);
  }

  /** The first 4 bytes of the transaction id. */
  public int transactionHigh() {
    return buffer.getInt(start + 8);
  }

  /** The last 8 bytes of the transaction id. */
  public long transactionLow() {
    return buffer.getLong(start + 12);
  }

  /** Returns the index of the first attribute of a type, or -1 if the message has none. */
  public int find(StunAttribute type) {
    return switch (type) {
      case MESSAGE_INTEGRITY -> integrity;
      case MESSAGE_INTEGRITY_SHA256 -> integritySha256;
      case FINGERPRINT -> fingerprint;
      default -> search(start + HEADER, type.code());
    };
  }

  public boolean has(StunAttribute type) {
    return find(type) >= 0;
  }

  /** Returns the index of the next attribute of the same type, or -1. Only for repeatable types. */
  public int next(int attribute) {
    return search(after(attribute), code(attribute));
  }

  private int search(int from, int code) {
    for (int at = from; at < open; at = after(at)) {
      if (code(at) == code) {
        return at;
      }
    }
    return -1;
  }

  /** Index of the first attribute that counts, whatever it is. Not below {@link #stop} if none. */
  public int first() {
    return start + HEADER;
  }

  /** Index behind the attributes that are found in order: the first check value, or the end. */
  public int stop() {
    return open;
  }

  /** The number of an attribute's type, known or not. */
  public int code(int attribute) {
    return buffer.getShort(attribute) & 0xffff;
  }

  /** Bytes of an attribute's value, without the padding. */
  public int length(int attribute) {
    return buffer.getShort(attribute + 2) & 0xffff;
  }

  public int valueStart(int attribute) {
    return attribute + ATTRIBUTE_HEADER;
  }

  public int valueEnd(int attribute) {
    return attribute + ATTRIBUTE_HEADER + length(attribute);
  }

  /** Index of the attribute behind this one. */
  public int after(int attribute) {
    return attribute + ATTRIBUTE_HEADER + padded(length(attribute));
  }

  static int padded(int length) {
    return length + 3 & ~3;
  }
}
