// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

import java.nio.charset.StandardCharsets;
import org.netserv.packet.Packet;
import org.netserv.sip.SipResponse;
import org.netserv.sip.SipWriter;

/**
 * Turns a request's packet into the edge's response: 100, 200 or 503. The response goes to the
 * packet's source address and port, {@code rport} asked or not, because only that way back through
 * a NAT is known to work.
 *
 * <p>Retry-After is between n and 2n seconds, by a hash of the transaction, so that clients do not
 * come back together and a repetition gets the same response.
 */
final class Answers {
  private static final byte[] TRYING = ascii("100 Trying");
  private static final byte[] OK = ascii("200 OK");
  private static final byte[] UNAVAILABLE = ascii("503 Service Unavailable");
  private static final byte[] NOTHING = {};
  private static final int MOST = 2048;
  private static final int TTL = 64;

  private final SipResponse response;
  private final SipWriter out = new SipWriter(MOST);
  private final byte[][] retryAfter;

  /**
   * Makes the answers.
   *
   * @param seconds least value of Retry-After, 0 = no such header
   */
  Answers(long secret, int seconds) {
    response = new SipResponse(secret);
    retryAfter = new byte[seconds + 1][];
    for (int i = 0; i <= seconds; i++) {
      retryAfter[i] = seconds == 0 ? NOTHING : ascii("Retry-After: " + (seconds + i) + "\r\n");
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  boolean trying(Message request, Packet packet) {
    return write(request, packet, TRYING, false, NOTHING);
  }

  boolean ok(Message request, Packet packet) {
    return write(request, packet, OK, true, NOTHING);
  }

  boolean unavailable(Message request, Packet packet) {
    int place = (int) Long.remainderUnsigned(request.values().key() >>> 1, retryAfter.length);
    return write(request, packet, UNAVAILABLE, true, retryAfter[place]);
  }

  /** Returns false, and leaves the packet as it is, if the response does not fit. */
  private boolean write(Message request, Packet packet, byte[] status, boolean toTag, byte[] more) {
    out.clear();
    response.reset(
        request.buffer(),
        request.scanner(),
        request.values(),
        packet.sourceHigh(),
        packet.sourceLow(),
        packet.sourcePort());
    response.write(out, status, toTag, more);
    if (!out.fits() || !packet.setPayload(out.bytes(), 0, out.length())) {
      return false;
    }
    packet.swapEndpoints();
    packet.setTtl(TTL);
    return true;
  }
}
