// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.netserv.packet.Packet;
import org.netserv.sip.IpLiteral;
import org.netserv.sip.SipHeader;
import org.netserv.sip.SipMethod;
import org.netserv.sip.SipParameters;
import org.netserv.sip.SipScanner;
import org.netserv.sip.SipVia;

/**
 * The 200 to a keep-alive, by RFC 3261, 8.2.6.2. Via values in order, From, Call-ID and CSeq are
 * the request's bytes, folds included. To gets a tag. The topmost Via gets the parameters that
 * 18.2.1 and RFC 3581 ask for.
 */
final class SipReply {
  private static final byte[] STATUS = ascii("SIP/2.0 200 OK\r\n");
  private static final byte[] VIA = ascii("Via: ");
  private static final byte[] FROM = ascii("From: ");
  private static final byte[] TO = ascii("To: ");
  private static final byte[] CALL_ID = ascii("Call-ID: ");
  private static final byte[] CSEQ = ascii("CSeq: ");
  private static final byte[] TAG = ascii(";tag=");
  private static final byte[] LINE_END = ascii("\r\n");
  private static final byte[] END = ascii("Content-Length: 0\r\n\r\n");
  private static final byte[] RPORT = ascii("rport");
  private static final byte[] RECEIVED = ascii("received");
  private static final byte[] KEEP = ascii("keep");

  private final SipParameters parameters = new SipParameters();
  private final int keep;
  private final byte[] capabilities;
  private ReplyWriter out;
  private ByteBuffer in;

  /**
   * @param keep seconds for a {@code keep} parameter, 0 = none comes here
   */
  SipReply(String allow, int keep) {
    this.keep = keep;
    // RFC 3261, 11.2: a UAS should list these; a proxy should leave Allow out, hence the setting.
    capabilities =
        ascii(
            (allow.isEmpty() ? "" : "Allow: " + allow + "\r\n")
                + "Accept: application/sdp\r\n"
                + "Accept-Encoding: identity\r\n"
                + "Accept-Language: en\r\n"
                + "Supported: \r\n");
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Writes the reply. Returns the offset of the To tag, 16 digits long. */
  int write(SipKeepAlive request, Packet packet, ReplyWriter writer) {
    out = writer;
    in = request.buffer();
    SipScanner message = request.message();
    out.put(STATUS);
    for (int i = message.first(SipHeader.VIA); i >= 0; i = message.next(i)) {
      out.put(VIA);
      int start = message.valueStart(i);
      if (i == message.first(SipHeader.VIA)) {
        start = topmost(request.top(), start, packet);
      }
      out.put(in, start, message.valueEnd(i));
      out.put(LINE_END);
    }
    copy(FROM, message, SipHeader.FROM);
    copy(TO, message, SipHeader.TO);
    out.put(TAG);
    int toTag = out.length();
    out.hex(tag(request), 16);
    out.put(LINE_END);
    copy(CALL_ID, message, SipHeader.CALL_ID);
    out.put(LINE_END);
    copy(CSEQ, message, SipHeader.CSEQ);
    out.put(LINE_END);
    if (message.method() == SipMethod.OPTIONS) {
      out.put(capabilities);
    }
    out.put(END);
    return toTag;
  }

  private void copy(byte[] name, SipScanner message, SipHeader header) {
    int i = message.first(header);
    out.put(name);
    out.put(in, message.valueStart(i), message.valueEnd(i));
    if (header == SipHeader.FROM) {
      out.put(LINE_END);
    }
  }

  /**
   * Computes the To tag from the Call-ID and the From tag. A stateless UAS gives the same tag to
   * the same request (8.2.7), so a repetition gets the same reply, after a restart too.
   */
  private long tag(SipKeepAlive request) {
    SipScanner message = request.message();
    int i = message.first(SipHeader.CALL_ID);
    long hash = Hash.add(Hash.START, in, message.valueStart(i), message.valueEnd(i));
    return Hash.add(hash, in, request.from().tagStart(), request.from().tagEnd());
  }

  /**
   * Writes the topmost via-parm. Returns the offset of the rest of the value. {@code rport} gets
   * the source port, if the sender asked for it. {@code received} gets the source address, always
   * beside rport (RFC 3581, 4), else when sent-by is a name or another address (RFC 3261, 18.2.1).
   * {@code keep} gets the server's interval (RFC 6223, 4.3). Values that the sender wrote there are
   * replaced.
   */
  private int topmost(SipVia via, int start, Packet packet) {
    int at = start;
    boolean received = false;
    parameters.reset(in, via.parametersStart(), via.end());
    while (parameters.next()) {
      boolean port = parameters.is(RPORT);
      boolean address = parameters.is(RECEIVED);
      boolean keepAlive = parameters.is(KEEP);
      if (port || address || keepAlive) {
        out.put(in, at, parameters.nameStart());
        at = parameters.end();
        received |= address;
      }
      if (port) {
        out.put(RPORT);
        out.put('=');
        out.decimal(packet.sourcePort());
      } else if (address) {
        received(packet);
      } else if (keepAlive) {
        out.put(KEEP);
        out.put('=');
        out.decimal(keep);
      }
    }
    if (!received && (via.rport() != SipVia.RPORT_ABSENT || !isSource(via, packet))) {
      out.put(in, at, via.end());
      at = via.end();
      out.put(';');
      received(packet);
    }
    return at;
  }

  private void received(Packet packet) {
    out.put(RECEIVED);
    out.put('=');
    out.address(packet.sourceHigh(), packet.sourceLow());
  }

  private static boolean isSource(SipVia via, Packet packet) {
    IpLiteral sentBy = via.host().literal();
    return sentBy.family() != 0
        && sentBy.high() == packet.sourceHigh()
        && sentBy.low() == packet.sourceLow();
  }
}
