// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import org.netserv.packet.Packet;

/**
 * STUN binding requests on the SIP port (RFC 5626, 4.4.2) by RFC 8489:
 *
 * <pre>
 *   0      type, two top bits 0     2  length of what follows byte 20, a multiple of 4
 *   4      magic cookie             8  transaction id, 12 bytes
 *   20     attributes: type16 length16 value, padded to 4
 * </pre>
 */
final class StunBinding {
  private static final int HEADER = 20;
  private static final int COOKIE = 0x2112A442;
  private static final int REQUEST = 0x0001;
  private static final int SUCCESS = 0x0101;
  private static final int ERROR = 0x0111;

  private static final int MAPPED_ADDRESS = 0x0001;
  private static final int USERNAME = 0x0006;
  private static final int MESSAGE_INTEGRITY = 0x0008;
  private static final int ERROR_CODE = 0x0009;
  private static final int UNKNOWN_ATTRIBUTES = 0x000A;
  private static final int REALM = 0x0014;
  private static final int NONCE = 0x0015;
  private static final int MESSAGE_INTEGRITY_SHA256 = 0x001C;
  private static final int PASSWORD_ALGORITHM = 0x001D;
  private static final int USERHASH = 0x001E;
  private static final int XOR_MAPPED_ADDRESS = 0x0020;
  private static final int OPTIONAL = 0x8000; // from here on comprehension is optional
  private static final int FINGERPRINT = 0x8028;

  private static final int FINGERPRINT_XOR = 0x5354554e;
  private static final int FINGERPRINT_LENGTH = 8;
  private static final byte[] REASON = "Unknown Attribute".getBytes(StandardCharsets.US_ASCII);

  private final CRC32 crc = new CRC32();
  private final byte[] scratch = new byte[2048];
  private ByteBuffer buffer;
  private int start;
  private int end;
  private int unknown; // number of comprehension-required attributes nobody here knows

  /**
   * Tells whether the payload may be STUN. No SIP message begins with a control character, and the
   * cookie settles it.
   */
  static boolean isLikely(ByteBuffer buffer, int start, int length) {
    return length >= HEADER
        && (buffer.get(start) & 0xc0) == 0
        && buffer.getInt(start + 4) == COOKIE;
  }

  /**
   * Returns STUN if the request is to be answered, else the reason to let it through. {@link
   * #isLikely} holds.
   */
  Why reset(ByteBuffer bytes, int first, int stop) {
    buffer = bytes;
    start = first;
    end = stop;
    unknown = 0;
    if (bytes.getShort(first) != REQUEST) {
      return Why.STUN_TYPE;
    }
    int length = bytes.getShort(first + 2) & 0xffff;
    if (length != stop - first - HEADER || length % 4 != 0 || stop - first > scratch.length) {
      return Why.STUN_MALFORMED;
    }
    return attributes();
  }

  private Why attributes() {
    int at = start + HEADER;
    while (at < end) {
      int type = type(at);
      int next = next(at);
      if (next > end) {
        return Why.STUN_MALFORMED;
      }
      if (isCredential(type)) {
        return Why.STUN_CREDENTIALS; // the server holds the password
      }
      if (type == FINGERPRINT && !fingerprintHolds(at, next)) {
        return Why.STUN_MALFORMED;
      }
      if (isUnknown(type)) {
        unknown++;
      }
      at = next;
    }
    return Why.STUN;
  }

  private int type(int at) {
    return buffer.getShort(at) & 0xffff;
  }

  /**
   * Returns the offset behind the attribute at {@code at}. The offset is beyond {@link #end} if the
   * attribute's length is wrong.
   */
  private int next(int at) {
    return at + 4 + ((buffer.getShort(at + 2) & 0xffff) + 3 & ~3);
  }

  private static boolean isCredential(int type) {
    return switch (type) {
      case USERNAME,
          MESSAGE_INTEGRITY,
          REALM,
          NONCE,
          MESSAGE_INTEGRITY_SHA256,
          PASSWORD_ALGORITHM,
          USERHASH ->
          true;
      default -> false;
    };
  }

  /**
   * Tells whether the type is unknown and comprehension-required (RFC 8489, 6.3.1). Known types
   * that mean nothing in a request are ignored.
   */
  private static boolean isUnknown(int type) {
    return type < OPTIONAL
        && type != MAPPED_ADDRESS
        && type != ERROR_CODE
        && type != UNKNOWN_ATTRIBUTES
        && type != XOR_MAPPED_ADDRESS;
  }

  /** Checks FINGERPRINT by 14.7. It is the last attribute, and the CRC-32 of all before it. */
  private boolean fingerprintHolds(int at, int next) {
    if (next != end || next - at != FINGERPRINT_LENGTH) {
      return false;
    }
    buffer.get(start, scratch, 0, at - start);
    return buffer.getInt(at + 4) == fingerprint(scratch, at - start);
  }

  private int fingerprint(byte[] bytes, int length) {
    crc.reset();
    crc.update(bytes, 0, length);
    return (int) crc.getValue() ^ FINGERPRINT_XOR;
  }

  void write(Packet packet, ReplyWriter out) {
    out.put16(unknown == 0 ? SUCCESS : ERROR);
    out.put16(0); // length, below
    out.put(buffer, start + 4, start + HEADER);
    if (unknown == 0) {
      mapped(packet, out);
    } else {
      refusal(out);
    }
    out.set16(2, out.length() - HEADER + FINGERPRINT_LENGTH);
    int print = fingerprint(out.bytes(), out.length());
    out.put16(FINGERPRINT);
    out.put16(4);
    out.put32(print);
  }

  /**
   * Writes XOR-MAPPED-ADDRESS by 14.2. Port and address stand under the cookie, IPv6 under cookie
   * and transaction id.
   */
  private void mapped(Packet packet, ReplyWriter out) {
    boolean four = packet.family() == 4;
    out.put16(XOR_MAPPED_ADDRESS);
    out.put16(four ? 8 : 20);
    out.put16(four ? 1 : 2);
    out.put16(packet.sourcePort() ^ COOKIE >>> 16);
    if (four) {
      out.put32(packet.source4() ^ COOKIE);
    } else {
      out.put64(packet.sourceHigh() ^ buffer.getLong(start + 4));
      out.put64(packet.sourceLow() ^ buffer.getLong(start + 12));
    }
  }

  /** Writes error 420 with the list of the unknown attributes (14.8, 14.13). */
  private void refusal(ReplyWriter out) {
    out.put16(ERROR_CODE);
    out.put16(4 + REASON.length);
    out.put32(4 << 8 | 20);
    out.put(REASON);
    pad(out, REASON.length);
    out.put16(UNKNOWN_ATTRIBUTES);
    out.put16(2 * unknown);
    for (int at = start + HEADER; at < end; at = next(at)) {
      if (isUnknown(type(at))) {
        out.put16(type(at));
      }
    }
    pad(out, 2 * unknown);
  }

  private static void pad(ReplyWriter out, int length) {
    for (int i = length; i % 4 != 0; i++) {
      out.put(0);
    }
  }
}
