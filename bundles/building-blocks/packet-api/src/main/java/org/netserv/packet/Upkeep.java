// SPDX-License-Identifier: Apache-2.0
package org.netserv.packet;

import java.nio.ByteBuffer;

/**
 * Changes the headers and the payload of one packet in place and keeps checksums right: those of
 * IPv4, UDP, TCP, ICMP and ICMPv6. Offsets are checked by the caller.
 */
final class Upkeep {
  private static final int SOURCE4 = 12;
  private static final int SOURCE6 = 8;

  private final ByteBuffer bytes;
  private final Layout layout;

  Upkeep(ByteBuffer bytes, Layout layout) {
    this.bytes = bytes;
    this.layout = layout;
  }

  void setTtl(int ttl) {
    if (isV4()) {
      int protocol = bytes.getShort(layout.start + 8) & 0xff;
      setHeader4(8, (ttl & 0xff) << 8 | protocol);
    } else {
      bytes.put(layout.start + 7, (byte) ttl);
    }
    layout.changes++;
  }

  void setAddress4(int offset, int address) {
    if (!isV4()) {
      throw new IllegalStateException("not an IPv4 packet");
    }
    int at = layout.start + offset;
    int before = Checksum.sum(bytes, at, 4);
    bytes.putInt(at, address);
    int after = Checksum.sum(bytes, at, 4);
    headerChecksum(before, after);
    if (layout.protocol != Packet.ICMP) {
      transportChecksum(before, after);
    }
    layout.changes++;
  }

  void setAddress6(int offset, long high, long low) {
    if (isV4()) {
      throw new IllegalStateException("not an IPv6 packet");
    }
    int at = layout.start + offset;
    int before = Checksum.sum(bytes, at, 16);
    bytes.putLong(at, high);
    bytes.putLong(at + 8, low);
    transportChecksum(before, Checksum.sum(bytes, at, 16));
    layout.changes++;
  }

  /** Sums do not depend on the order of words, so that swapping leaves each checksum right. */
  void swapEndpoints() {
    int start = layout.start;
    if (isV4()) {
      int source = bytes.getInt(start + SOURCE4);
      bytes.putInt(start + SOURCE4, bytes.getInt(start + SOURCE4 + 4));
      bytes.putInt(start + SOURCE4 + 4, source);
    } else {
      swapLongs(start + SOURCE6, start + SOURCE6 + 16);
      swapLongs(start + SOURCE6 + 8, start + SOURCE6 + 24);
    }
    if (layout.ports) {
      int at = start + layout.transport;
      bytes.putInt(at, Integer.rotateLeft(bytes.getInt(at), 16));
    }
    layout.changes++;
  }

  private void swapLongs(int a, int b) {
    long value = bytes.getLong(a);
    bytes.putLong(a, bytes.getLong(b));
    bytes.putLong(b, value);
  }

  /** Sets the port at this offset from the transport header. */
  void setPort(int offset, int port) {
    if (!layout.ports) {
      throw new IllegalStateException("protocol " + layout.protocol + " has no ports here");
    }
    int at = layout.start + layout.transport + offset;
    int before = bytes.getShort(at) & 0xffff;
    bytes.putShort(at, (short) port);
    transportChecksum(before, port & 0xffff);
    layout.changes++;
  }

  /** Sets one byte behind the transport header's beginning. */
  void set(int i, byte value) {
    int at = layout.start + i;
    int shift = (i - layout.transport & 1) == 0 ? 8 : 0;
    int before = (bytes.get(at) & 0xff) << shift;
    bytes.put(at, value);
    transportChecksum(before, (value & 0xff) << shift);
    layout.changes++;
  }

  /** Writes length fields and the checksums anew, after a change of the payload. */
  void seal() {
    int start = layout.start;
    layout.changes++;
    if (isV4()) {
      setHeader4(2, layout.total);
    } else {
      bytes.putShort(start + 4, (short) (layout.total - Layout.IPV6_HEADER));
    }
    int length = layout.total - layout.transport;
    if (layout.protocol == Packet.UDP) {
      bytes.putShort(start + layout.transport + 4, (short) length);
    }
    if (layout.checksum < 0 || isUnsummed()) {
      return;
    }
    int at = start + layout.checksum;
    bytes.putShort(at, (short) 0);
    long sum = Checksum.sum(bytes, start + layout.transport, length);
    if (!(isV4() && layout.protocol == Packet.ICMP)) {
      sum += pseudoHeader(length);
    }
    bytes.putShort(at, (short) notZero(~Checksum.fold(sum) & 0xffff));
  }

  private boolean isV4() {
    return layout.family == 4;
  }

  /** Sets a 16-bit word of the IPv4 header. */
  private void setHeader4(int offset, int value) {
    int at = layout.start + offset;
    int before = bytes.getShort(at) & 0xffff;
    bytes.putShort(at, (short) value);
    headerChecksum(before, value & 0xffff);
  }

  private void headerChecksum(int before, int after) {
    int at = layout.start + 10;
    int old = bytes.getShort(at) & 0xffff;
    bytes.putShort(at, (short) Checksum.update(old, before, after));
  }

  private void transportChecksum(int before, int after) {
    if (layout.checksum < 0) {
      return;
    }
    int at = layout.start + layout.checksum;
    int old = bytes.getShort(at) & 0xffff;
    if (old == 0 && layout.protocol == Packet.UDP) {
      return;
    }
    bytes.putShort(at, (short) notZero(Checksum.update(old, before, after)));
  }

  /** RFC 768: a computed 0 is sent as all ones, because 0 means "none". */
  private int notZero(int checksum) {
    return checksum == 0 && layout.protocol == Packet.UDP ? 0xffff : checksum;
  }

  private boolean isUnsummed() {
    return isV4()
        && layout.protocol == Packet.UDP
        && bytes.getShort(layout.start + layout.checksum) == 0;
  }

  /** Sum of the pseudo-header, RFC 768 and RFC 8200 section 8.1. */
  private long pseudoHeader(int length) {
    int addresses =
        isV4()
            ? Checksum.sum(bytes, layout.start + SOURCE4, 8)
            : Checksum.sum(bytes, layout.start + SOURCE6, 32);
    return (long) addresses + layout.protocol + length;
  }
}
