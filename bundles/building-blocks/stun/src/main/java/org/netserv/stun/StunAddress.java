// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

import java.nio.ByteBuffer;

/**
 * A transport address as an attribute: plain in MAPPED-ADDRESS, ALTERNATE-SERVER, RESPONSE-ORIGIN
 * and OTHER-ADDRESS (RFC 8489, 14.1), under a mask in XOR-MAPPED-ADDRESS, XOR-PEER-ADDRESS and
 * XOR-RELAYED-ADDRESS (14.2):
 *
 * <pre>
 *   0      0       1  family: 1 = IPv4, 2 = IPv6      2  port
 *   4      address, 4 or 16 bytes
 *   mask:  port ^ upper half of the cookie; address ^ cookie and transaction id
 * </pre>
 *
 * The view copies what it reads, so it may outlive the message.
 */
public final class StunAddress {
  /** Upper half of the lower half of an IPv4-mapped address. */
  private static final long MAPPED = 0xffffL << 32;

  private static final int LENGTH_4 = 8;
  private static final int LENGTH_6 = 20;

  private long high;
  private long low;
  private int port;

  /** Reads the first attribute of the type. Returns false if it is absent or its family wrong. */
  public boolean get(StunMessage message, StunAttribute type) {
    int at = message.find(type);
    return at >= 0 && get(message, at);
  }

  /** Reads the attribute at this index. Returns false if family and length do not agree. */
  public boolean get(StunMessage message, int attribute) {
    ByteBuffer buffer = message.buffer();
    int at = message.valueStart(attribute);
    int length = message.length(attribute);
    int family = buffer.get(at + 1);
    boolean masked = isMasked(StunAttribute.of(message.code(attribute)));
    port = (buffer.getShort(at + 2) & 0xffff) ^ (masked ? StunMessage.COOKIE >>> 16 : 0);
    if (family == AddressFamily.IPV4 && length == LENGTH_4) {
      int address = buffer.getInt(at + 4) ^ (masked ? StunMessage.COOKIE : 0);
      high = 0;
      low = MAPPED | (address & 0xffffffffL);
      return true;
    }
    if (family == AddressFamily.IPV6 && length == LENGTH_6) {
      long maskHigh = masked ? buffer.getLong(message.start() + 4) : 0;
      long maskLow = masked ? buffer.getLong(message.start() + 12) : 0;
      high = buffer.getLong(at + 4) ^ maskHigh;
      low = buffer.getLong(at + 12) ^ maskLow;
      return true;
    }
    return false;
  }

  /** Adds an address. An IPv4-mapped address is written as IPv4. */
  public static void put(StunWriter writer, StunAttribute type, long high, long low, int port) {
    boolean four = isIpv4(high, low);
    boolean masked = isMasked(type);
    int at = writer.add(type, four ? LENGTH_4 : LENGTH_6);
    if (at < 0) {
      return;
    }
    ByteBuffer buffer = writer.buffer();
    buffer.putShort(at, (short) (four ? AddressFamily.IPV4 : AddressFamily.IPV6));
    buffer.putShort(at + 2, (short) (port ^ (masked ? StunMessage.COOKIE >>> 16 : 0)));
    if (four) {
      buffer.putInt(at + 4, (int) low ^ (masked ? StunMessage.COOKIE : 0));
    } else {
      buffer.putLong(at + 4, high ^ (masked ? buffer.getLong(writer.start() + 4) : 0));
      buffer.putLong(at + 12, low ^ (masked ? buffer.getLong(writer.start() + 12) : 0));
    }
  }

  private static boolean isMasked(StunAttribute type) {
    return type == StunAttribute.XOR_MAPPED_ADDRESS
        || type == StunAttribute.XOR_PEER_ADDRESS
        || type == StunAttribute.XOR_RELAYED_ADDRESS;
  }

  static boolean isIpv4(long high, long low) {
    return high == 0 && low >>> 32 == MAPPED >>> 32;
  }

  /** {@link AddressFamily#IPV4} or {@link AddressFamily#IPV6}. */
  public int family() {
    return isIpv4(high, low) ? AddressFamily.IPV4 : AddressFamily.IPV6;
  }

  /** Upper half of the address; IPv4 addresses as ::ffff:a.b.c.d. */
  public long high() {
    return high;
  }

  public long low() {
    return low;
  }

  /** 0 to 65535. */
  public int port() {
    return port;
  }
}
