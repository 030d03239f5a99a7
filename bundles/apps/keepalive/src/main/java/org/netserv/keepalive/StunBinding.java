// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import org.netserv.packet.Packet;
import org.netserv.stun.ErrorCode;
import org.netserv.stun.Fingerprint;
import org.netserv.stun.StunAddress;
import org.netserv.stun.StunAttribute;
import org.netserv.stun.StunClass;
import org.netserv.stun.StunError;
import org.netserv.stun.StunMessage;
import org.netserv.stun.StunMethod;
import org.netserv.stun.StunStatus;
import org.netserv.stun.StunWriter;
import org.netserv.stun.UnknownAttributes;

/** STUN binding requests on the SIP port (RFC 5626, 4.4.2), answered by RFC 8489. */
final class StunBinding {
  private static final int REPLY_MOST = 512;

  /** Types that mean nothing in a request, and are ignored there (RFC 8489, 6.3.1). */
  private static final Set<StunAttribute> KNOWN =
      Collections.unmodifiableSet(
          EnumSet.of(
              StunAttribute.MAPPED_ADDRESS,
              StunAttribute.ERROR_CODE,
              StunAttribute.UNKNOWN_ATTRIBUTES,
              StunAttribute.XOR_MAPPED_ADDRESS));

  private final StunMessage request = new StunMessage();
  private final StunWriter writer = new StunWriter();
  private final Fingerprint fingerprint = new Fingerprint();
  private final UnknownAttributes unknown = new UnknownAttributes();
  private final ByteBuffer reply = ByteBuffer.allocate(REPLY_MOST);

  /** Tells whether the payload may be STUN. No SIP message begins with a control character. */
  static boolean isLikely(ByteBuffer buffer, int start, int length) {
    return StunMessage.isLikely(buffer, start, start + length);
  }

  /**
   * Returns STUN if the request is to be answered, else the reason to let it through. {@link
   * #isLikely} holds.
   */
  Why reset(ByteBuffer buffer, int start, int end) {
    StunError error = request.reset(buffer, start, end);
    if (!request.is(StunMethod.BINDING, StunClass.REQUEST)) {
      return Why.STUN_TYPE;
    }
    if (error != StunError.OK) {
      return Why.STUN_MALFORMED;
    }
    if (hasCredentials()) {
      return Why.STUN_CREDENTIALS; // the server holds the password
    }
    return fingerprint.holdsIfPresent(request) ? Why.STUN : Why.STUN_MALFORMED;
  }

  private boolean hasCredentials() {
    return request.has(StunAttribute.USERNAME)
        || request.has(StunAttribute.USERHASH)
        || request.has(StunAttribute.REALM)
        || request.has(StunAttribute.NONCE)
        || request.has(StunAttribute.PASSWORD_ALGORITHM)
        || request.has(StunAttribute.MESSAGE_INTEGRITY)
        || request.has(StunAttribute.MESSAGE_INTEGRITY_SHA256);
  }

  /** Puts the reply into the packet of the request. Returns false if the packet has no room. */
  boolean answer(Packet packet) {
    boolean understood = unknown.collect(request, KNOWN) == 0;
    StunClass kind = understood ? StunClass.SUCCESS : StunClass.ERROR;
    writer.answer(reply, 0, REPLY_MOST, request, kind);
    if (understood) {
      StunAddress.put(
          writer,
          StunAttribute.XOR_MAPPED_ADDRESS,
          packet.sourceHigh(),
          packet.sourceLow(),
          packet.sourcePort());
    } else {
      ErrorCode.put(writer, StunStatus.UNKNOWN_ATTRIBUTE);
      unknown.put(writer);
    }
    fingerprint.put(writer);
    return writer.fits() && packet.setPayload(reply.array(), 0, writer.length());
  }
}
