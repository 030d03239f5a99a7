// SPDX-License-Identifier: Apache-2.0
package org.netserv.packet;

import java.nio.ByteBuffer;

/**
 * Place of one IP packet in its memory, offsets of its parts from the IP header, and the facts that
 * came with it. The lengths of received packets are checked here and nowhere else.
 *
 * <pre>
 *   0            transport         payload          payload + payloadLength     total
 *   | IP, options | UDP, TCP header | payload        |  UDP surplus (RFC 9868)   |
 *   |  or chain   |  (raw: none)    |                |                           |
 * </pre>
 */
final class Layout {
  static final int IPV4_HEADER = 20;
  static final int IPV6_HEADER = 40;
  static final int UDP_HEADER = 8;
  static final int TCP_HEADER = 20;

  private static final int HOP_BY_HOP = 0;
  private static final int ROUTING = 43;
  private static final int FRAGMENT = 44;
  private static final int AUTHENTICATION = 51;
  private static final int NO_NEXT = 59;
  private static final int DESTINATION_OPTIONS = 60;
  private static final int MOBILITY = 135;
  private static final int HIP = 139;
  private static final int SHIM6 = 140;

  /** Absolute index of the IP header. */
  int start;

  int family;
  int protocol;
  int transport;
  int payload;
  int payloadLength;
  int total;

  /** Offset of the transport checksum, or -1 if there is none that we keep. */
  int checksum;

  boolean fragment;
  boolean ports;

  /** Set if this is a copy of a packet that has travelled on. */
  boolean sample;

  /** Arrival time. */
  int micros;

  /** Changes since the packet came. */
  int changes;

  /**
   * Set if the rest of the packet begins with a transport header. Of fragments, only the first has
   * one.
   */
  private boolean first;

  /**
   * Takes the packet at {@code start}. Returns null if it is well-formed, else the reason. Reads at
   * most {@code length} bytes.
   */
  Malformed parse(ByteBuffer buffer, int start, int length) {
    if (length < 1) {
      return Malformed.SHORT_HEADER;
    }
    this.start = start;
    fragment = false;
    first = true;
    Malformed bad =
        switch ((buffer.get(start) & 0xf0) >> 4) {
          case 4 -> ipv4(buffer, start, length);
          case 6 -> ipv6(buffer, start, length);
          default -> Malformed.VERSION;
        };
    return bad != null ? bad : transport(buffer, start);
  }

  private Malformed ipv4(ByteBuffer buffer, int start, int length) {
    if (length < IPV4_HEADER) {
      return Malformed.SHORT_HEADER;
    }
    family = 4;
    transport = (buffer.get(start) & 0x0f) * 4;
    total = buffer.getShort(start + 2) & 0xffff;
    protocol = buffer.get(start + 9) & 0xff;
    if (total > length) {
      return Malformed.TRUNCATED;
    }
    if (transport < IPV4_HEADER || transport > total) {
      return Malformed.HEADER_LENGTH;
    }
    int bits = buffer.getShort(start + 6);
    return fragment((bits & 0x1fff) * 8, (bits & 0x2000) != 0);
  }

  private Malformed ipv6(ByteBuffer buffer, int start, int length) {
    if (length < IPV6_HEADER) {
      return Malformed.SHORT_HEADER;
    }
    family = 6;
    transport = IPV6_HEADER;
    total = IPV6_HEADER + (buffer.getShort(start + 4) & 0xffff);
    protocol = buffer.get(start + 6) & 0xff;
    if (total > length) {
      return Malformed.TRUNCATED;
    }
    if (total == IPV6_HEADER && protocol != NO_NEXT) {
      return Malformed.JUMBOGRAM;
    }
    return extensions(buffer, start);
  }

  /** RFC 8200 section 4: walks to the first header that is not an extension. */
  private Malformed extensions(ByteBuffer buffer, int start) {
    for (int count = 0; first && isExtension(protocol); count++) {
      if (count == Packet.MAX_EXTENSIONS || (protocol == HOP_BY_HOP && count > 0)) {
        return Malformed.EXTENSION_CHAIN;
      }
      if (total - transport < 8) {
        return Malformed.EXTENSION_LENGTH;
      }
      int at = start + transport;
      int words = buffer.get(at + 1) & 0xff;
      int bytes =
          switch (protocol) {
            case FRAGMENT -> 8;
            case AUTHENTICATION -> (words + 2) * 4;
            default -> (words + 1) * 8;
          };
      if (bytes > total - transport) {
        return Malformed.EXTENSION_LENGTH;
      }
      if (protocol == ROUTING && buffer.get(at + 3) != 0) {
        return Malformed.SOURCE_ROUTED;
      }
      transport += bytes;
      if (protocol == FRAGMENT) {
        int bits = buffer.getShort(at + 2) & 0xffff;
        Malformed bad = fragment(bits & 0xfff8, (bits & 1) != 0);
        if (bad != null) {
          return bad;
        }
      }
      protocol = buffer.get(at) & 0xff;
    }
    return null;
  }

  private static boolean isExtension(int protocol) {
    return switch (protocol) {
      case HOP_BY_HOP,
          ROUTING,
          FRAGMENT,
          AUTHENTICATION,
          DESTINATION_OPTIONS,
          MOBILITY,
          HIP,
          SHIM6 ->
          true;
      default -> false;
    };
  }

  private Malformed fragment(int offset, boolean more) {
    fragment |= offset != 0 || more;
    first = offset == 0;
    return offset + (total - transport) > 0xffff ? Malformed.FRAGMENT_RANGE : null;
  }

  private Malformed transport(ByteBuffer buffer, int start) {
    ports = false;
    checksum = -1;
    payload = transport;
    payloadLength = total - transport;
    if (!first) {
      return null;
    }
    return switch (protocol) {
      case Packet.UDP -> udp(buffer, start);
      case Packet.TCP -> tcp(buffer, start);
      case Packet.ICMP -> family == 4 ? icmp() : null;
      case Packet.ICMPV6 -> family == 6 ? icmp() : null;
      default -> null;
    };
  }

  private Malformed udp(ByteBuffer buffer, int start) {
    int rest = total - transport;
    if (rest < UDP_HEADER) {
      return tooShort();
    }
    int length = buffer.getShort(start + transport + 4) & 0xffff;
    if (length < UDP_HEADER || (length > rest && !fragment)) {
      return Malformed.TRANSPORT_LENGTH;
    }
    ports = true;
    checksum = transport + 6;
    payload = transport + UDP_HEADER;
    payloadLength = Math.min(length, rest) - UDP_HEADER;
    return null;
  }

  private Malformed tcp(ByteBuffer buffer, int start) {
    int rest = total - transport;
    if (rest < TCP_HEADER) {
      return tooShort();
    }
    int header = ((buffer.get(start + transport + 12) & 0xf0) >> 4) * 4;
    if (header < TCP_HEADER || header > rest) {
      return Malformed.TRANSPORT_LENGTH;
    }
    ports = true;
    checksum = transport + 16;
    payload = transport + header;
    payloadLength = rest - header;
    return null;
  }

  /** ICMP stays raw: its message is the payload. Only its checksum is kept. */
  private Malformed icmp() {
    if (total - transport < 4) {
      return tooShort();
    }
    checksum = transport + 2;
    return null;
  }

  private Malformed tooShort() {
    return fragment ? Malformed.TINY_FRAGMENT : Malformed.SHORT_TRANSPORT;
  }
}
