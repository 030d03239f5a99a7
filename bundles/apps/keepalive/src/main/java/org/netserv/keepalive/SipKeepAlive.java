// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.netserv.packet.Packet;
import org.netserv.sip.Ascii;
import org.netserv.sip.SipAddress;
import org.netserv.sip.SipCseq;
import org.netserv.sip.SipError;
import org.netserv.sip.SipHeader;
import org.netserv.sip.SipMethod;
import org.netserv.sip.SipParameters;
import org.netserv.sip.SipScanner;
import org.netserv.sip.SipUri;
import org.netserv.sip.SipVia;

/**
 * Decides whether a SIP request is a keep-alive that anyone could answer in the server's place. The
 * node stands in for a stateless UAS (RFC 3261, 8.2.7) and takes the steps of 8.2. Where the RFC
 * wants anything but a plain 200, the server gets the request, because only the server may refuse.
 *
 * <pre>
 *   8.2.1  method     NOTIFY, OPTIONS; never REGISTER (has state), ACK and CANCEL (no answer)
 *   8.2.2  headers    to us? no Route, no Require, not in a dialog, hop count left
 *   8.2.3  content    none
 * </pre>
 *
 * Refusals that need only the index of the headers come first. Values are read after them.
 */
final class SipKeepAlive {
  private static final byte[] EVENT = "keep-alive".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] UDP = "udp".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] TRANSPORT = "transport".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] LR = "lr".getBytes(StandardCharsets.US_ASCII);
  private static final int HOPS_MOST = 255;

  private final SipScanner message = new SipScanner();
  private final SipAddress from = new SipAddress();
  private final SipAddress to = new SipAddress();
  private final SipCseq cseq = new SipCseq();
  private final SipUri uri = new SipUri();
  private final SipParameters uriParameters = new SipParameters();
  private final SipVia top = new SipVia();
  private final SipVia other = new SipVia();
  private final ServerNames server;
  private ByteBuffer buffer;
  private final boolean keepGiven;
  private SipError error = SipError.OK;

  /**
   * @param keepGiven whether the server has said how often it wants keep-alives (RFC 6223)
   */
  SipKeepAlive(ServerNames server, boolean keepGiven) {
    this.server = server;
    this.keepGiven = keepGiven;
  }

  /**
   * Returns NOTIFY or OPTIONS if the message is to be answered, else the reason to let it through.
   */
  Why reset(ByteBuffer bytes, int start, int end, Packet packet) {
    buffer = bytes;
    error = message.reset(bytes, start, end);
    if (error != SipError.OK) {
      return Why.MALFORMED;
    }
    if (!message.isRequest()) {
      return Why.RESPONSE;
    }
    SipMethod method = message.method();
    if (method != SipMethod.NOTIFY && method != SipMethod.OPTIONS) {
      return Why.METHOD;
    }
    if (message.hasBareLf()) {
      return Why.BARE_LF; // our reply copies values: it must not copy a foreign line end
    }
    Why why = shape(method);
    if (why == null) {
      why = requestUri();
    }
    if (why == null && method == SipMethod.OPTIONS) {
      why = addressee(packet);
    }
    if (why == null) {
      why = values(start);
    }
    return why != null ? why : method == SipMethod.NOTIFY ? Why.NOTIFY : Why.OPTIONS;
  }

  /** Refuses by the index alone. Reads no value except that of Event. */
  private Why shape(SipMethod method) {
    if (method == SipMethod.NOTIFY && !isKeepAlive(message.first(SipHeader.EVENT))) {
      return Why.EVENT;
    }
    if (!message.hasOne(SipHeader.TO)
        || !message.hasOne(SipHeader.FROM)
        || !message.hasOne(SipHeader.CALL_ID)
        || !message.hasOne(SipHeader.CSEQ)
        || !message.has(SipHeader.VIA)) {
      return Why.MISSING; // 8.2.6.2 copies them: there must be one of each, and no doubt which
    }
    if (message.has(SipHeader.ROUTE)) {
      return Why.ROUTE; // 16.4: perhaps this server is not the last to see it
    }
    if (message.has(SipHeader.REQUIRE) || message.has(SipHeader.PROXY_REQUIRE)) {
      return Why.REQUIRE; // 8.2.2.3: 420 needs to know what the server supports
    }
    // 8.2.3: a ping has nothing to say; content is for the server to judge
    return message.bodyEnd() > message.bodyStart() ? Why.BODY : null;
  }

  /**
   * Tells whether the NOTIFY is a keep-alive. The event package keep-alive addresses the next hop,
   * whatever domain the URI names, because agents put their registrar's domain there. Event types
   * are compared byte by byte (RFC 6665, 8.2.1).
   */
  private boolean isKeepAlive(int event) {
    return message.hasOne(SipHeader.EVENT)
        && Ascii.equal(buffer, message.valueStart(event), message.valueEnd(event), EVENT);
  }

  /**
   * Refuses an OPTIONS request that is not for the server itself. Without a user part, it asks the
   * server about itself. With a user part, it is routed (RFC 3261, 11.1).
   */
  private Why addressee(Packet packet) {
    if (uri.hasUser()) {
      return Why.USER;
    }
    return server.include(uri.host(), buffer, packet) ? null : Why.NOT_THE_SERVER;
  }

  /**
   * Checks the Request-URI by 8.2.2.1. The scheme must be known, the transport UDP, and no
   * parameter may send the request elsewhere.
   */
  private Why requestUri() {
    if (uri.reset(buffer, message.uriStart(), message.uriEnd()) != SipError.OK || !uri.isSip()) {
      return Why.SCHEME;
    }
    uriParameters.reset(buffer, uri.tailStart(), uri.end());
    while (uriParameters.next()) {
      boolean udp =
          uriParameters.is(TRANSPORT)
              && Ascii.equalIgnoreCase(
                  buffer, uriParameters.valueStart(), uriParameters.valueEnd(), UDP);
      if (!udp && !uriParameters.is(LR)) {
        return Why.SCHEME;
      }
    }
    return uriParameters.end() == uri.end() ? null : Why.SCHEME; // "?headers" are left over
  }

  /** Reads the values that the reply copies. */
  private Why values(int start) {
    if (!hopsLeft()) {
      return Why.MAX_FORWARDS;
    }
    Why why = identity(start);
    return why == null ? vias() : why;
  }

  /**
   * Tells whether the request has hops left. At 0 a proxy stops it (16.3 (3)), and OPTIONS is then
   * a trace of the path (11.1).
   */
  private boolean hopsLeft() {
    int at = message.first(SipHeader.MAX_FORWARDS);
    if (at < 0) {
      return true; // RFC 2543 agents send none
    }
    long hops = Ascii.number(buffer, message.valueStart(at), message.valueEnd(at), 9);
    return message.hasOne(SipHeader.MAX_FORWARDS) && hops > 0 && hops <= HOPS_MOST;
  }

  private Why identity(int start) {
    int i = message.first(SipHeader.TO);
    int j = message.first(SipHeader.FROM);
    if (to.reset(buffer, message.valueStart(i), message.valueEnd(i)) != SipError.OK
        || from.reset(buffer, message.valueStart(j), message.valueEnd(j)) != SipError.OK) {
      return Why.FROM_TO;
    }
    if (to.hasTag()) {
      return Why.IN_DIALOG; // 12.2.2: only the holder of the dialog can tell 200 from 481
    }
    int k = message.first(SipHeader.CSEQ);
    boolean matches =
        cseq.reset(buffer, message.valueStart(k), message.valueEnd(k)) == SipError.OK
            && sameBytes(cseq.methodStart(), cseq.methodEnd(), start, message.methodEnd());
    if (!matches) {
      return Why.CSEQ; // 8.1.1.5
    }
    return callId(message.first(SipHeader.CALL_ID)) ? null : Why.CALL_ID;
  }

  /** Checks the syntax callid = word [ "@" word ], which is printable and has no white space. */
  private boolean callId(int index) {
    int start = message.valueStart(index);
    int end = message.valueEnd(index);
    return end > start && Ascii.skipPrintable(buffer, start, end) == end;
  }

  /** Reads every via-parm, because the reply copies every via-parm. */
  private Why vias() {
    int index = message.first(SipHeader.VIA);
    int at = message.valueStart(index);
    SipVia via = top;
    while (index >= 0) {
      if (via.reset(buffer, at, message.valueEnd(index)) != SipError.OK) {
        return Why.VIA;
      }
      at = via.nextStart();
      via = other;
      if (at < 0) {
        index = message.next(index);
        at = index < 0 ? -1 : message.valueStart(index);
      }
    }
    if (!Ascii.equalIgnoreCase(buffer, top.transportStart(), top.transportEnd(), UDP)) {
      return Why.VIA_TRANSPORT; // came by UDP and says otherwise
    }
    if (top.hasMaddr()) {
      return Why.VIA_MADDR; // the reply would have to go elsewhere (18.2.2)
    }
    // RFC 6223: the server alone may say that it wants keep-alives, and how often
    return top.hasKeep() && !keepGiven ? Why.VIA_KEEP : null;
  }

  private boolean sameBytes(int start, int end, int otherStart, int otherEnd) {
    boolean same = end - start == otherEnd - otherStart;
    for (int i = 0; same && i < end - start; i++) {
      same = buffer.get(start + i) == buffer.get(otherStart + i);
    }
    return same;
  }

  /**
   * Hashes Call-ID, CSeq and branch. The hash tells a repetition from the next keep-alive. Never 0.
   */
  long transaction() {
    int id = message.first(SipHeader.CALL_ID);
    long hash = Hash.add(cseq.number(), buffer, message.valueStart(id), message.valueEnd(id));
    return Hash.add(hash, buffer, top.branchStart(), top.branchEnd()) | 1;
  }

  /** Returns the end of the CSeq's digits. */
  int numberEnd() {
    int number = message.first(SipHeader.CSEQ);
    int at = message.valueStart(number);
    while (Ascii.isDigit(buffer.get(at))) { // a method follows
      at++;
    }
    return at;
  }

  /** The fault of the last MALFORMED message. */
  SipError error() {
    return error;
  }

  ByteBuffer buffer() {
    return buffer;
  }

  SipScanner message() {
    return message;
  }

  SipAddress from() {
    return from;
  }

  /** The topmost via-parm. */
  SipVia top() {
    return top;
  }
}
