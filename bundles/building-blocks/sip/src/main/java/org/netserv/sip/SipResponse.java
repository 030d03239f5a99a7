// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Writes a response to a request in the place of its server (RFC 3261, 8.2.6). Via values in their
 * order, From, To, Call-ID and CSeq are the request's bytes, folds included:
 *
 * <pre>
 *   SIP/2.0 503 Service Unavailable
 *   Via: topmost, with received and rport filled in (RFC 3261, 18.2.1; RFC 3581)
 *   Via: the others
 *   From, To (with a tag, unless the status is 100), Call-ID, CSeq
 *   what the caller adds
 *   Content-Length: 0
 * </pre>
 *
 * The To tag is a hash of Call-ID and From tag, so a repetition gets the same response (8.2.7).
 */
public final class SipResponse {
  private static final byte[] VERSION = ascii("SIP/2.0 ");
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
  private static final long FACTOR = 0x9e3779b97f4a7c15L;
  private static final int TAG_DIGITS = 16;

  private final SipParameters parameters = new SipParameters();
  private final long secret;
  private SipWriter out;
  private ByteBuffer in;
  private SipScanner request;
  private SipTransaction values;
  private long high;
  private long low;
  private int port;

  /**
   * Makes a writer of responses.
   *
   * @param secret goes into the To tags
   */
  public SipResponse(long secret) {
    this.secret = secret;
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Points at a request that {@link SipTransaction} has read.
   *
   * @param sourceHigh upper half of the address that it came from, IPv4 as ::ffff:a.b.c.d
   * @param sourcePort the port that it came from
   */
  public void reset(
      ByteBuffer buffer,
      SipScanner message,
      SipTransaction transaction,
      long sourceHigh,
      long sourceLow,
      int sourcePort) {
    in = buffer;
    request = message;
    values = transaction;
    high = sourceHigh;
    low = sourceLow;
    port = sourcePort;
  }

  /**
   * Writes the whole response into an empty writer.
   *
   * @param status status code, a blank and the reason, such as {@code 503 Service Unavailable}
   * @param toTag whether To gets a tag if it has none
   * @param more whole header lines with their line ends
   */
  public void write(SipWriter writer, byte[] status, boolean toTag, byte[] more) {
    out = writer;
    out.put(VERSION);
    out.put(status);
    out.put(LINE_END);
    vias();
    copy(FROM, SipHeader.FROM);
    out.put(LINE_END);
    copy(TO, SipHeader.TO);
    if (toTag && !values.to().hasTag()) {
      out.put(TAG);
      out.hex(tag(), TAG_DIGITS);
    }
    out.put(LINE_END);
    copy(CALL_ID, SipHeader.CALL_ID);
    out.put(LINE_END);
    copy(CSEQ, SipHeader.CSEQ);
    out.put(LINE_END);
    out.put(more);
    out.put(END);
  }

  private void vias() {
    for (int i = request.first(SipHeader.VIA); i >= 0; i = request.next(i)) {
      out.put(VIA);
      int start = request.valueStart(i);
      if (i == request.first(SipHeader.VIA)) {
        start = topmost(values.top(), start);
      }
      out.put(in, start, request.valueEnd(i));
      out.put(LINE_END);
    }
  }

  private void copy(byte[] name, SipHeader header) {
    int i = request.first(header);
    out.put(name);
    out.put(in, request.valueStart(i), request.valueEnd(i));
  }

  private long tag() {
    int i = request.first(SipHeader.CALL_ID);
    long hash = add(secret, request.valueStart(i), request.valueEnd(i));
    return add(hash, values.from().tagStart(), values.from().tagEnd());
  }

  private long add(long before, int start, int end) {
    long hash = before + end - start;
    for (int i = start; i < end; i += Long.BYTES) {
      hash = (hash ^ Ascii.word(in, i, end)) * FACTOR;
      hash ^= hash >>> 32;
    }
    return hash;
  }

  /**
   * Writes the topmost via-parm with rport and received, and returns the offset of the rest of the
   * value. Values that the sender wrote there are replaced.
   */
  private int topmost(SipVia via, int start) {
    int at = start;
    boolean received = false;
    parameters.reset(in, via.parametersStart(), via.end());
    while (parameters.next()) {
      boolean isPort = parameters.is(RPORT);
      boolean isAddress = parameters.is(RECEIVED);
      if (isPort || isAddress) {
        out.put(in, at, parameters.nameStart());
        at = parameters.end();
        received |= isAddress;
      }
      if (isPort) {
        out.put(RPORT);
        out.put('=');
        out.decimal(port);
      } else if (isAddress) {
        received();
      }
    }
    if (!received && (via.rport() != SipVia.RPORT_ABSENT || !isSource(via))) {
      out.put(in, at, via.end());
      at = via.end();
      out.put(';');
      received();
    }
    return at;
  }

  private void received() {
    out.put(RECEIVED);
    out.put('=');
    out.address(high, low);
  }

  private boolean isSource(SipVia via) {
    IpLiteral sentBy = via.host().literal();
    return sentBy.family() != 0 && sentBy.high() == high && sentBy.low() == low;
  }
}
