// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import java.nio.ByteBuffer;

/**
 * Datagrams that only keep a NAT binding open and want no answer over UDP (RFC 5626, 4.4.1 asks for
 * a pong over streams only): four NULs, CRLF, CRLFCRLF, or one byte of any value.
 */
final class Ping {
  private static final short CRLF = 0x0d0a;
  private static final int CRLF_CRLF = 0x0d0a0d0a;

  private Ping() {}

  /** {@code buffer} is big-endian. */
  static boolean is(ByteBuffer buffer, int start, int length) {
    return switch (length) {
      case 1 -> true;
      case 2 -> buffer.getShort(start) == CRLF;
      case 4 -> buffer.getInt(start) == 0 || buffer.getInt(start) == CRLF_CRLF;
      default -> false;
    };
  }
}
