// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.netserv.packet.Packet;
import org.netserv.sip.SipError;
import org.netserv.sip.SipOverload;
import org.netserv.sip.SipParameters;
import org.netserv.sip.SipVia;
import org.netserv.sip.SipWriter;

/**
 * The edge's offer of overload control in the topmost Via of a request, and the server's feedback
 * in the same place of the response (RFC 7339, 4 and 5).
 *
 * <pre>
 *   request    ...;branch=z9hG4bKx  +  ;oc;oc-algo="loss"          24 bytes more
 *   response   ...;branch=z9hG4bKx  -  ;oc=20;oc-algo="loss";oc-validity=500;oc-seq=1.2
 * </pre>
 *
 * The offer has one algorithm, because Kamailio before 5.8 drops requests with a comma in a quoted
 * Via parameter. A client that makes an offer of its own keeps it, and its response is not touched.
 */
final class ViaOffer {
  private static final byte[] OFFER = ascii(";oc;oc-algo=\"loss\"");
  private static final byte[][] NAMES = {
    ascii("oc"), ascii("oc-algo"), ascii("oc-validity"), ascii("oc-seq")
  };
  private static final int MOST = 2048;

  private final SipOverload overload = new SipOverload();
  private final SipParameters parameters = new SipParameters();
  private final SipWriter out = new SipWriter(MOST);

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Adds the offer. Returns false, with the packet as it was, if it has one or has no room. */
  boolean add(Message request, Packet packet) {
    SipVia via = request.values().top();
    ByteBuffer buffer = request.buffer();
    if (overload.reset(buffer, via) != SipError.OK || overload.isOffered()) {
      return false;
    }
    int start = packet.start() + packet.payloadOffset();
    out.clear();
    out.put(buffer, start, via.end());
    out.put(OFFER);
    out.put(buffer, via.end(), start + packet.payloadLength());
    return out.fits() && packet.setPayload(out.bytes(), 0, out.length());
  }

  /** Reads the feedback of a response. Null if there is none that can be used. */
  SipOverload feedback(Message response) {
    SipError error = overload.reset(response.buffer(), response.values().top());
    return error == SipError.OK && overload.oc() != SipOverload.ABSENT ? overload : null;
  }

  /** Takes the four parameters out of the topmost Via. Returns false if there is none. */
  boolean strip(Message response, Packet packet) {
    SipVia via = response.values().top();
    ByteBuffer buffer = response.buffer();
    int start = packet.start() + packet.payloadOffset();
    int at = start;
    int before = via.parametersStart();
    boolean found = false;
    out.clear();
    parameters.reset(buffer, via.parametersStart(), via.end());
    while (parameters.next()) {
      if (isOurs()) {
        out.put(buffer, at, before);
        at = parameters.end();
        found = true;
      }
      before = parameters.end();
    }
    out.put(buffer, at, start + packet.payloadLength());
    return found && out.fits() && packet.setPayload(out.bytes(), 0, out.length());
  }

  private boolean isOurs() {
    for (byte[] name : NAMES) {
      if (parameters.is(name)) {
        return true;
      }
    }
    return false;
  }
}
