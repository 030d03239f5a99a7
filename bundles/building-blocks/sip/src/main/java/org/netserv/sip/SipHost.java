// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip;

import java.nio.ByteBuffer;

/**
 * {@code host [ ":" port ]}: a name, an IPv4 address or a bracketed IPv6 address. In a Via white
 * space may stand around the colon; a URI has none, and the caller checks where this one ends.
 */
public final class SipHost {
  /** {@link #port()} when none is given. */
  public static final int PORT_ABSENT = -1;

  private int start;
  private int hostEnd;
  private int end;
  private int port;
  private final IpLiteral literal = new IpLiteral();
  private ByteBuffer bytes;
  private boolean literalRead = true; // few ask for it

  /** Reads from {@code at} as far as it goes; {@link #end} tells how far. */
  public SipError reset(ByteBuffer buffer, int at, int limit) {
    bytes = buffer;
    literalRead = false;
    start = at;
    port = PORT_ABSENT;
    boolean brackets = at < limit && buffer.get(at) == '[';
    hostEnd = brackets ? bracketed(buffer, limit) : Ascii.skip(buffer, at, limit, Ascii.HOST);
    end = hostEnd;
    if (hostEnd <= start || (brackets && literal().family() != 6)) {
      return SipError.URI_HOST;
    }
    int colon = Ascii.skipSpace(buffer, hostEnd, limit);
    if (colon == limit || buffer.get(colon) != ':') {
      return SipError.OK;
    }
    int first = Ascii.skipSpace(buffer, colon + 1, limit);
    int last = Ascii.skip(buffer, first, limit, Ascii.DIGIT);
    port = port(buffer, first, last);
    end = last;
    return port < 0 ? SipError.URI_PORT : SipError.OK;
  }

  private int bracketed(ByteBuffer buffer, int limit) {
    for (int i = start + 1; i < limit; i++) {
      if (buffer.get(i) == ']') {
        return i + 1;
      }
    }
    return start;
  }

  /** 1 to 65535, or -1. */
  static int port(ByteBuffer buffer, int start, int end) {
    long number = Ascii.number(buffer, start, end, 5);
    return number >= 1 && number <= 65535 ? (int) number : -1;
  }

  public int start() {
    return start;
  }

  /** End of the host, brackets included. */
  public int hostEnd() {
    return hostEnd;
  }

  /** End of host and port. */
  public int end() {
    return end;
  }

  public int port() {
    return port;
  }

  /** The host as an address; its family is 0 when the host is a name. */
  public IpLiteral literal() {
    if (!literalRead) {
      literal.reset(bytes, start, Math.max(start, hostEnd));
      literalRead = true;
    }
    return literal;
  }
}
