// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.random.RandomGenerator;
import org.netserv.sip.Ascii;
import org.netserv.sip.SipError;
import org.netserv.sip.SipHeader;
import org.netserv.sip.SipScanner;

/**
 * The OPTIONS requests that ask a server whether it is alive. Max-Forwards is 0, so that the server
 * itself answers and sends the request nowhere (RFC 3261, 11.1 and 16.3). Any response counts, a
 * 483 or 503 too. A response is known by its Call-ID, which holds 64 random bits.
 */
final class OptionsProbe {
  private final byte[] callId;
  private final String id;
  private final SipScanner response = new SipScanner();
  private long number;

  OptionsProbe(RandomGenerator random) {
    id = HexFormat.of().toHexDigits(random.nextLong());
    callId = (id + "@netserv").getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Makes the next request.
   *
   * @param from the socket's address, as a hint; the answer comes to the source (RFC 3581)
   */
  ByteBuffer next(InetSocketAddress server, InetSocketAddress from) {
    number = number % 0x7fffffff + 1;
    String host = host(server);
    String text =
        """
        OPTIONS sip:%1$s SIP/2.0
        Via: SIP/2.0/UDP %2$s;branch=z9hG4bK%3$s-%4$d;rport
        Max-Forwards: 0
        From: <sip:keepalive@%5$s>;tag=%3$s
        To: <sip:%1$s>
        Call-ID: %3$s@netserv
        CSeq: %4$d OPTIONS
        Accept: application/sdp
        Content-Length: 0

        """
            .formatted(host, host(from), id, number, literal(from));
    return ByteBuffer.wrap(text.replace("\n", "\r\n").getBytes(StandardCharsets.US_ASCII));
  }

  private static String host(InetSocketAddress address) {
    return literal(address) + ":" + address.getPort();
  }

  private static String literal(InetSocketAddress address) {
    String text = address.getAddress().getHostAddress();
    int zone = text.indexOf('%');
    String plain = zone < 0 ? text : text.substring(0, zone);
    return plain.indexOf(':') < 0 ? plain : "[" + plain + "]";
  }

  /** Tells whether the datagram answers one of these requests. */
  boolean isAnswer(ByteBuffer datagram, int start, int end) {
    if (response.reset(datagram, start, end) != SipError.OK
        || response.isRequest()
        || !response.hasOne(SipHeader.CALL_ID)) {
      return false;
    }
    int at = response.first(SipHeader.CALL_ID);
    return Ascii.equal(datagram, response.valueStart(at), response.valueEnd(at), callId);
  }
}
