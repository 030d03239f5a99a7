// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import java.nio.ByteBuffer;

/**
 * A ClientHello of DTLS 1.2 (RFC 6347) in a datagram of its own, whole and in the clear.
 *
 * <pre>
 *   0        1        3       5                  11      13
 *   | type   | version| epoch | sequence number  | length| record
 *   13   14      17      19           22          25
 *   | 1  | length| number| offset = 0 | length    | handshake message
 *   25        27        59
 *   | version | random | session id | cookie | cipher suites ...
 * </pre>
 */
final class DtlsHello {
  private static final int HANDSHAKE = 22;
  private static final int ALERT = 21;
  private static final int FATAL = 2;
  private static final int PROTOCOL_VERSION = 70;
  private static final int OLD_MINOR = 0xff;
  private static final int CLIENT_HELLO = 1;
  private static final int VERIFY_REQUEST = 3;
  private static final int MAJOR = 0xfe;
  private static final int RECORD = 13;
  private static final int HEAD = 25;
  private static final int SESSION_AT = HEAD + 34;
  private static final int SESSION_MOST = 32;
  private static final int VERIFY_COOKIE_AT = HEAD + 2;

  private final byte[] bytes;
  private final int cookieAt; // of its length field

  private DtlsHello(byte[] bytes, int cookieAt) {
    this.bytes = bytes;
    this.cookieAt = cookieAt;
  }

  /** Tells whether a datagram begins with a ClientHello in the clear. */
  static boolean isHello(ByteBuffer datagram, int start, int length) {
    return length > HEAD
        && datagram.get(start) == HANDSHAKE
        && datagram.getShort(start + 3) == 0
        && datagram.get(start + RECORD) == CLIENT_HELLO;
  }

  /**
   * Reads a datagram. Returns null if it is no ClientHello, or one that is malformed or comes in
   * fragments.
   */
  static DtlsHello read(ByteBuffer datagram, int start, int length) {
    if (!isHello(datagram, start, length) || (datagram.get(start + 1) & 0xff) != MAJOR) {
      return null;
    }
    int record = datagram.getShort(start + 11) & 0xffff;
    int message = medium(datagram, start + 14);
    if (record != message + HEAD - RECORD
        || record + RECORD > length
        || medium(datagram, start + 19) != 0
        || medium(datagram, start + 22) != message) {
      return null;
    }
    byte[] bytes = new byte[record + RECORD];
    datagram.get(start, bytes);
    return of(bytes);
  }

  private static DtlsHello of(byte[] bytes) {
    if (bytes.length <= SESSION_AT || bytes[SESSION_AT] < 0 || bytes[SESSION_AT] > SESSION_MOST) {
      return null;
    }
    int cookieAt = SESSION_AT + 1 + bytes[SESSION_AT];
    if (bytes.length <= cookieAt || bytes.length < cookieAt + 1 + (bytes[cookieAt] & 0xff)) {
      return null;
    }
    return new DtlsHello(bytes, cookieAt);
  }

  private static int medium(ByteBuffer datagram, int at) {
    return (datagram.get(at) & 0xff) << 16 | (datagram.getShort(at + 1) & 0xffff);
  }

  /** Tells whether the client has no DTLS 1.2. DTLS 1.0 is forbidden (RFC 8996). */
  boolean isOld() {
    return (bytes[HEAD + 1] & 0xff) == OLD_MINOR;
  }

  /** Writes the alert {@code protocol_version}, with which a client may try another version. */
  ByteBuffer versionAlert(ByteBuffer to) {
    to.put((byte) ALERT).put(bytes, 1, 2).putLong(0).putShort((short) 2);
    return to.put((byte) FATAL).put((byte) PROTOCOL_VERSION).flip();
  }

  boolean hasCookie() {
    return bytes[cookieAt] != 0;
  }

  ByteBuffer bytes() {
    return ByteBuffer.wrap(bytes);
  }

  /** Returns the ClientHello that the client has sent before it had a cookie. */
  ByteBuffer first() {
    int cookie = bytes[cookieAt] & 0xff;
    byte[] first = new byte[bytes.length - cookie];
    System.arraycopy(bytes, 0, first, 0, cookieAt);
    int rest = cookieAt + 1 + cookie;
    System.arraycopy(bytes, rest, first, cookieAt + 1, bytes.length - rest);
    ByteBuffer record = ByteBuffer.wrap(first);
    int message = first.length - HEAD;
    record.putInt(5, 0).putShort(9, (short) 0).putShort(11, (short) (first.length - RECORD));
    record.put(14, (byte) 0).putShort(15, (short) message).putShort(17, (short) 0);
    record.put(22, (byte) 0).putShort(23, (short) message);
    return record;
  }

  /**
   * Tells whether a HelloVerifyRequest asks for the cookie of this ClientHello.
   *
   * @param answer a record, from its first byte to the limit
   */
  boolean hasCookieOf(ByteBuffer answer) {
    int cookie = bytes[cookieAt] & 0xff;
    if (!isVerifyRequest(answer) || (answer.get(VERIFY_COOKIE_AT) & 0xff) != cookie) {
      return false;
    }
    int differences = 0;
    for (int i = 1; i <= cookie; i++) {
      differences |= answer.get(VERIFY_COOKIE_AT + i) ^ bytes[cookieAt + i];
    }
    return differences == 0;
  }

  /** Tells whether a record is a HelloVerifyRequest with a cookie that is all there. */
  static boolean isVerifyRequest(ByteBuffer record) {
    return record.limit() > VERIFY_COOKIE_AT
        && record.get(0) == HANDSHAKE
        && record.get(RECORD) == VERIFY_REQUEST
        && record.limit() >= VERIFY_COOKIE_AT + 1 + (record.get(VERIFY_COOKIE_AT) & 0xff);
  }
}
