// SPDX-License-Identifier: Apache-2.0
package org.netserv.packet;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/**
 * Makes packets, and decisions about them, for tests and for warming up. Each packet has direct
 * memory of its own with the head and tail room of a real slot, an MTU of 1500, TTL 64 and right
 * checksums. Addresses are literals. No name is ever looked up.
 */
public final class Packets {
  /** Bytes of a slot. */
  public static final int SLOT = 2048;

  /** Free bytes before the packet, and at least as many behind it. */
  public static final int HEADROOM = 128;

  /** MTU of the packets made here. */
  public static final int MTU = 1500;

  private static final int TTL = 64;

  private Packets() {}

  public static Packet udp4(
      String source, int sourcePort, String target, int port, byte[] payload) {
    return ip(4, source, target, Packet.UDP, udp(sourcePort, port, payload), payload);
  }

  public static Packet udp6(
      String source, int sourcePort, String target, int port, byte[] payload) {
    return ip(6, source, target, Packet.UDP, udp(sourcePort, port, payload), payload);
  }

  /** {@code flags} as in {@link Packet#tcpFlags()}. */
  public static Packet tcp4(
      String source, int sourcePort, String target, int port, int flags, byte[] payload) {
    return ip(4, source, target, Packet.TCP, tcp(sourcePort, port, flags), payload);
  }

  public static Packet tcp6(
      String source, int sourcePort, String target, int port, int flags, byte[] payload) {
    return ip(6, source, target, Packet.TCP, tcp(sourcePort, port, flags), payload);
  }

  /** Any protocol over IPv4; a checksum in it is set if it is one that {@link Packet} keeps. */
  public static Packet raw4(String source, String target, int protocol, byte[] message) {
    return ip(4, source, target, protocol, new byte[0], message);
  }

  /** Any protocol over IPv6. */
  public static Packet raw6(String source, String target, int protocol, byte[] message) {
    return ip(6, source, target, protocol, new byte[0], message);
  }

  /**
   * Makes the packet with these bytes.
   *
   * @throws IllegalArgumentException if it is malformed or longer than a slot takes
   */
  public static Packet of(byte[] bytes) {
    return cursor(bytes).packet();
  }

  /** Makes a copy of the packet that is a sample. */
  public static Packet sample(Packet packet) {
    PacketCursor cursor = cursor(packet.toBytes());
    cursor.arrived(true, packet.arrivalMicros());
    return cursor.packet();
  }

  /** Makes a copy of the packet that has arrived at this time of {@link Packet#arrivalMicros}. */
  public static Packet arrived(Packet packet, int micros) {
    PacketCursor cursor = cursor(packet.toBytes());
    cursor.arrived(false, micros);
    return cursor.packet();
  }

  /** Makes a blank decision about the packet. The packet cannot be stolen. */
  public static Decision decision(Packet packet) {
    return new Decision(packet, () -> null);
  }

  /** Makes a blank decision about the packet. A theft gets this handle; null = it is refused. */
  public static Decision decision(Packet packet, Stolen handle) {
    return new Decision(packet, () -> handle);
  }

  private static PacketCursor cursor(byte[] bytes) {
    if (bytes.length > SLOT - 2 * HEADROOM) {
      throw new IllegalArgumentException("packet of " + bytes.length + " bytes");
    }
    PacketCursor cursor = new PacketCursor(ByteBuffer.allocateDirect(SLOT).put(HEADROOM, bytes));
    Malformed why = cursor.point(0, SLOT, HEADROOM, bytes.length, MTU);
    if (why != null) {
      throw new IllegalArgumentException("malformed packet: " + why);
    }
    return cursor;
  }

  private static byte[] udp(int sourcePort, int port, byte[] payload) {
    // The checksum is not 0, or it would be left out.
    return ByteBuffer.allocate(Layout.UDP_HEADER)
        .putShort((short) sourcePort)
        .putShort((short) port)
        .putShort((short) (Layout.UDP_HEADER + payload.length))
        .putShort((short) 1)
        .array();
  }

  private static byte[] tcp(int sourcePort, int port, int flags) {
    return ByteBuffer.allocate(Layout.TCP_HEADER)
        .putShort((short) sourcePort)
        .putShort((short) port)
        .putInt(1)
        .putInt(0)
        .put((byte) ((Layout.TCP_HEADER / 4) << 4))
        .put((byte) flags)
        .putShort((short) 0xffff)
        .array();
  }

  private static Packet ip(
      int family, String source, String target, int protocol, byte[] header, byte[] payload) {
    int length = header.length + payload.length;
    ByteBuffer bytes = ByteBuffer.allocate(40 + length);
    if (family == 4) {
      bytes.putInt(0x45000000 | (Layout.IPV4_HEADER + length)).putInt(0x00004000);
      bytes.put((byte) TTL).put((byte) protocol).putShort((short) 0);
    } else {
      bytes.putInt(0x60000000).putShort((short) length).put((byte) protocol).put((byte) TTL);
    }
    bytes.put(address(source, family)).put(address(target, family));
    if (family == 4) {
      int sum = Checksum.sum(bytes, 0, Layout.IPV4_HEADER);
      bytes.putShort(10, (short) ~sum);
    }
    bytes.put(header).put(payload);
    byte[] packet = new byte[bytes.position()];
    bytes.get(0, packet);
    PacketCursor cursor = cursor(packet);
    Packet made = cursor.packet();
    made.setPayloadLength(made.payloadLength()); // writes the checksums
    cursor.point(0, SLOT, HEADROOM, packet.length, MTU);
    return made;
  }

  private static byte[] address(String text, int family) {
    if (!text.matches("[0-9a-fA-F:.]+")) {
      throw new IllegalArgumentException("not an address: " + text);
    }
    try {
      byte[] address = InetAddress.getByName(text).getAddress();
      if (address.length != (family == 4 ? 4 : 16)) {
        throw new IllegalArgumentException("not an IPv" + family + " address: " + text);
      }
      return address;
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("not an address: " + text, e);
    }
  }
}
