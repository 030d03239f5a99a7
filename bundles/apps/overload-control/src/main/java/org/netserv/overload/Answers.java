// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

import java.nio.charset.StandardCharsets;
import org.netserv.packet.Packet;
import org.netserv.sip.SipResponse;
import org.netserv.sip.SipWriter;

/**
 * Writes the edge's response to a request: 100, 200 or 503. The response to a packet goes to its
 * source address and port, {@code rport} asked or not, because only that way back through a NAT is
 * known to work. The response to a stream's request goes back by the stream.
 *
 * <p>Retry-After is between n and 2n seconds, by a hash of the transaction, so that clients do not
 * come back together and a repetition gets the same response.
 */
final class Answers {
  private static final byte[] TRYING = ascii("100 Trying");
  private static final byte[] OK = ascii("200 OK");
  private static final byte[] UNAVAILABLE = ascii("503 Service Unavailable");
  private static final byte[] NOTHING = {};
  private static final int TTL = 64;

  /** Longest response that goes by a datagram. */
  static final int DATAGRAM_MOST = 2048;

  private final SipResponse response;
  private final SipWriter out;
  private final byte[][] retryAfter;

  /**
   * Makes the answers.
   *
   * @param seconds least value of Retry-After, 0 = no such header
   * @param most bytes of a response
   */
  Answers(long secret, int seconds, int most) {
    response = new SipResponse(secret);
    out = new SipWriter(most);
    retryAfter = new byte[seconds + 1][];
    for (int i = 0; i <= seconds; i++) {
      retryAfter[i] = seconds == 0 ? NOTHING : ascii("Retry-After: " + (seconds + i) + "\r\n");
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Turns a request's packet into the response. Returns false, and leaves the packet as it is, if
   * the response does not fit.
   */
  boolean answer(Why why, Message request, Packet packet) {
    boolean fits =
        compose(why, request, packet.sourceHigh(), packet.sourceLow(), packet.sourcePort());
    if (!fits || !packet.setPayload(out.bytes(), 0, out.length())) {
      return false;
    }
    packet.swapEndpoints();
    packet.setTtl(TTL);
    return true;
  }

  /**
   * Writes the response to a request. Returns false if it does not fit.
   *
   * @param why the outcome, one that has a response
   * @param high upper half of the address that the request came from, IPv4 as ::ffff:a.b.c.d
   */
  boolean compose(Why why, Message request, long high, long low, int port) {
    response.reset(request.buffer(), request.scanner(), request.values(), high, low, port);
    out.clear();
    switch (why) {
      case TRYING -> response.write(out, TRYING, false, NOTHING);
      case CANCEL_ANSWERED -> response.write(out, OK, true, NOTHING);
      default -> response.write(out, UNAVAILABLE, true, retryAfter(request));
    }
    return out.fits();
  }

  private byte[] retryAfter(Message request) {
    return retryAfter[
        (int) Long.remainderUnsigned(request.values().key() >>> 1, retryAfter.length)];
  }

  /** Returns the memory of the response that {@link #compose} has written. */
  byte[] bytes() {
    return out.bytes();
  }

  /** Returns the length of that response. */
  int length() {
    return out.length();
  }
}
