// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.capture;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Optional;

/**
 * A UDP datagram found in an Ethernet frame.
 *
 * @param source address in hex digits (8 or 32) and port, {@code c0000201:5060}
 * @param payload captured part of the payload, one char per byte
 */
public record Datagram(String source, String destination, String payload) {
  private static final int ETHERNET_HEADER = 14;
  private static final int IPV4 = 0x0800;
  private static final int IPV6 = 0x86dd;
  private static final int UDP = 17;
  private static final int UDP_HEADER = 8;

  /**
   * Parses a frame. Returns empty if the frame holds another packet, a later fragment, or too
   * little of a datagram.
   */
  public static Optional<Datagram> parse(ByteBuffer frame) {
    int start = frame.position();
    int end = frame.limit();
    if (end - start < ETHERNET_HEADER) {
      return Optional.empty();
    }
    int type = frame.getShort(start + 12) & 0xffff;
    int ip = start + ETHERNET_HEADER;
    if (type == IPV4) {
      return ipv4(frame, ip, end);
    }
    return type == IPV6 ? ipv6(frame, ip, end) : Optional.empty();
  }

  private static Optional<Datagram> ipv4(ByteBuffer frame, int ip, int end) {
    if (end - ip < 20) {
      return Optional.empty();
    }
    int header = (frame.get(ip) & 0x0f) * 4;
    boolean laterFragment = (frame.getShort(ip + 6) & 0x1fff) != 0;
    if (frame.get(ip) >>> 4 != 4 || header < 20 || frame.get(ip + 9) != UDP || laterFragment) {
      return Optional.empty();
    }
    return udp(frame, ip + header, end, hex(frame, ip + 12, 4), hex(frame, ip + 16, 4));
  }

  private static Optional<Datagram> ipv6(ByteBuffer frame, int ip, int end) {
    if (end - ip < 40 || frame.get(ip + 6) != UDP) {
      return Optional.empty();
    }
    return udp(frame, ip + 40, end, hex(frame, ip + 8, 16), hex(frame, ip + 24, 16));
  }

  private static Optional<Datagram> udp(
      ByteBuffer frame, int udp, int end, String source, String destination) {
    if (end - udp < UDP_HEADER) {
      return Optional.empty();
    }
    int length = (frame.getShort(udp + 4) & 0xffff) - UDP_HEADER;
    if (length < 0) {
      return Optional.empty();
    }
    byte[] payload = new byte[Math.min(length, end - udp - UDP_HEADER)];
    frame.get(udp + UDP_HEADER, payload);
    return Optional.of(
        new Datagram(
            source + ":" + (frame.getShort(udp) & 0xffff),
            destination + ":" + (frame.getShort(udp + 2) & 0xffff),
            new String(payload, StandardCharsets.ISO_8859_1)));
  }

  private static String hex(ByteBuffer frame, int offset, int length) {
    byte[] bytes = new byte[length];
    frame.get(offset, bytes);
    return HexFormat.of().formatHex(bytes);
  }
}
