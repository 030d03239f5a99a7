// SPDX-License-Identifier: Apache-2.0
package org.netserv.packet;

import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * A view of one IP packet in its slot: header fields, payload, and setters that keep it consistent.
 *
 * <p><b>Validity.</b> A packet is valid until the call that handed it over returns. Afterwards the
 * same object shows another packet. {@link #retain()} copies. <b>Threads.</b> Only the thread that
 * received it may touch it. <b>Trust.</b> Every length in the headers was checked before. Malformed
 * packets never reach a module.
 *
 * <p>Offsets count from the IP header, numbers are big-endian and returned unsigned in an int where
 * they have 8 or 16 bits. Setters use as many low bits as the field has. They keep the checksums of
 * IPv4, UDP, TCP, ICMP and ICMPv6 right; checksums of other protocols are the module's business. A
 * UDP checksum of 0 over IPv4 means "none" and stays. A change has an effect only if the module
 * then answers {@link Decision#changed(String)}.
 *
 * <p>An index outside the packet, or outside the payload for a setter, throws {@link
 * IndexOutOfBoundsException}. A setter for the other IP version, or for a port that is not there,
 * throws {@link IllegalStateException}.
 *
 * <pre>
 *   slot                  start                                     start + length
 *          | head room  | IP header, options | UDP or TCP | payload |       tail room |
 * </pre>
 */
public final class Packet {
  /** Protocol numbers of {@link #protocol()}. */
  public static final int ICMP = 1;

  public static final int TCP = 6;
  public static final int UDP = 17;
  public static final int ICMPV6 = 58;

  /** IPv6 extension headers followed at most. */
  public static final int MAX_EXTENSIONS = 8;

  private static final long MAPPED = 0x0000_ffff_0000_0000L;

  private final Slot slot;
  private final ByteBuffer bytes;
  private final Layout layout;
  private final Upkeep upkeep;

  /** A view of the packet that {@code slot} points at. */
  Packet(Slot slot) {
    this.slot = slot;
    bytes = slot.bytes;
    layout = slot.layout;
    upkeep = slot.upkeep;
  }

  // ---- IP

  /** IP version, 4 or 6. */
  public int family() {
    return layout.family;
  }

  /** Bytes of the IP packet. */
  public int length() {
    return layout.total;
  }

  /**
   * Returns the largest length that the packet may have, in bytes. It is never below the packet's
   * length on arrival.
   */
  public int mtu() {
    return slot.mtu();
  }

  /** TTL or hop limit, 0-255. */
  public int ttl() {
    return bytes.get(layout.start + (isV4() ? 8 : 7)) & 0xff;
  }

  /** Sets the TTL or hop limit. */
  public void setTtl(int ttl) {
    upkeep.setTtl(ttl);
  }

  /** Returns the protocol number. For IPv6 it is the number behind the extension headers. */
  public int protocol() {
    return layout.protocol;
  }

  /**
   * Tells whether the packet is a fragment. Only the first fragment has ports. The payload of a
   * fragment cannot be replaced.
   */
  public boolean isFragment() {
    return layout.fragment;
  }

  /** Tells whether this is a copy of a packet that has travelled on. Its verdict is ignored. */
  public boolean isSample() {
    return layout.sample;
  }

  /**
   * Returns the arrival time in microseconds of a monotonic clock, which wraps every 71 minutes.
   */
  public int arrivalMicros() {
    return layout.micros;
  }

  /** IPv4 source address. Only if {@link #family()} is 4. */
  public int source4() {
    return bytes.getInt(layout.start + 12);
  }

  /** IPv4 destination address. Only if {@link #family()} is 4. */
  public int destination4() {
    return bytes.getInt(layout.start + 16);
  }

  /** Upper half of the source address; IPv4 addresses as ::ffff:a.b.c.d. */
  public long sourceHigh() {
    return isV4() ? 0 : bytes.getLong(layout.start + 8);
  }

  /** Lower half of the source address. */
  public long sourceLow() {
    return isV4() ? MAPPED | (source4() & 0xffffffffL) : bytes.getLong(layout.start + 16);
  }

  /** Upper half of the destination address. */
  public long destinationHigh() {
    return isV4() ? 0 : bytes.getLong(layout.start + 24);
  }

  /** Lower half of the destination address. */
  public long destinationLow() {
    return isV4() ? MAPPED | (destination4() & 0xffffffffL) : bytes.getLong(layout.start + 32);
  }

  /** Sets the IPv4 source address. Only if {@link #family()} is 4. */
  public void setSource4(int address) {
    upkeep.setAddress4(12, address);
  }

  /** Sets the IPv4 destination address. Only if {@link #family()} is 4. */
  public void setDestination4(int address) {
    upkeep.setAddress4(16, address);
  }

  /** Sets the IPv6 source address. Only if {@link #family()} is 6. */
  public void setSource6(long addressHigh, long addressLow) {
    upkeep.setAddress6(8, addressHigh, addressLow);
  }

  /** Sets the IPv6 destination address. Only if {@link #family()} is 6. */
  public void setDestination6(long addressHigh, long addressLow) {
    upkeep.setAddress6(24, addressHigh, addressLow);
  }

  /** Turns the packet around: swaps addresses and, if it has them, ports. No checksum changes. */
  public void swapEndpoints() {
    upkeep.swapEndpoints();
  }

  // ---- UDP and TCP

  /** Tells whether there is a UDP or TCP header. */
  public boolean hasPorts() {
    return layout.ports;
  }

  /** Source port, 0-65535, or -1 without ports. */
  public int sourcePort() {
    return layout.ports ? bytes.getShort(layout.start + layout.transport) & 0xffff : -1;
  }

  /** Destination port, 0-65535, or -1 without ports. */
  public int destinationPort() {
    return layout.ports ? bytes.getShort(layout.start + layout.transport + 2) & 0xffff : -1;
  }

  /** Sets the source port. Only if {@link #hasPorts()}. */
  public void setSourcePort(int port) {
    upkeep.setPort(0, port);
  }

  /** Sets the destination port. Only if {@link #hasPorts()}. */
  public void setDestinationPort(int port) {
    upkeep.setPort(2, port);
  }

  /**
   * Flag byte of TCP (FIN 1, SYN 2, RST 4, PSH 8, ACK 16), or 0 if this is not TCP with a header.
   */
  public int tcpFlags() {
    boolean tcp = layout.ports && layout.protocol == TCP;
    return tcp ? bytes.get(layout.start + layout.transport + 13) & 0xff : 0;
  }

  /** Returns the offset behind the IP header and its options or extension headers. */
  public int transportOffset() {
    return layout.transport;
  }

  /**
   * Returns the offset of the payload. For UDP and TCP it is behind their header, for any other
   * protocol behind the IP headers.
   */
  public int payloadOffset() {
    return layout.payload;
  }

  /** Returns the bytes of payload. For UDP the length field decides. */
  public int payloadLength() {
    return layout.payloadLength;
  }

  // ---- bytes

  /** Byte at offset {@code i} from the IP header. */
  public byte get(int i) {
    return bytes.get(layout.start + Objects.checkIndex(i, layout.total));
  }

  /** Two bytes, signed. */
  public short getShort(int i) {
    return bytes.getShort(layout.start + Objects.checkFromIndexSize(i, 2, layout.total));
  }

  /** Four bytes, signed. */
  public int getInt(int i) {
    return bytes.getInt(layout.start + Objects.checkFromIndexSize(i, 4, layout.total));
  }

  /** Eight bytes, signed. */
  public long getLong(int i) {
    return bytes.getLong(layout.start + Objects.checkFromIndexSize(i, 8, layout.total));
  }

  /** Copies bytes out. */
  public void get(int i, byte[] target, int offset, int length) {
    bytes.get(
        layout.start + Objects.checkFromIndexSize(i, length, layout.total), target, offset, length);
  }

  /**
   * The whole slot area, big-endian and read-only, for scanners that use absolute indexes. This
   * packet is at {@link #start()}. Position and limit are reset for each packet.
   */
  public ByteBuffer buffer() {
    return slot.view;
  }

  /** Absolute index of the IP header in {@link #buffer()}. It may change when the packet grows. */
  public int start() {
    return layout.start;
  }

  /** Changes one byte of the payload. */
  public void set(int i, byte value) {
    inPayload(i, 1);
    upkeep.set(i, value);
  }

  /** Changes two bytes of the payload. */
  public void setShort(int i, short value) {
    inPayload(i, 2);
    set(i, (byte) (value >> 8));
    set(i + 1, (byte) value);
  }

  /** Changes four bytes of the payload. */
  public void setInt(int i, int value) {
    inPayload(i, 4);
    setShort(i, (short) (value >> 16));
    setShort(i + 2, (short) value);
  }

  /** Changes eight bytes of the payload. */
  public void setLong(int i, long value) {
    inPayload(i, 8);
    setInt(i, (int) (value >> 32));
    setInt(i + 4, (int) value);
  }

  /**
   * Replaces the payload. Lengths and checksums follow. The packet may grow into the slot's tail
   * room and, when that is used up, its head room.
   *
   * @return false, counted and with the packet as it was, if it would exceed {@link #mtu()} or the
   *     room, or if it is a fragment
   */
  public boolean setPayload(byte[] source, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, source.length);
    return slot.setPayload(source, offset, length);
  }

  /**
   * Works as {@link #setPayload(byte[], int, int)}; {@code offset} is absolute in {@code source}.
   */
  public boolean setPayload(ByteBuffer source, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, source.limit());
    return slot.setPayload(source, offset, length);
  }

  /** Cuts the payload, or extends it by zero bytes. Refuses as {@link #setPayload} does. */
  public boolean setPayloadLength(int length) {
    if (length < 0) {
      throw new IllegalArgumentException("negative payload length " + length);
    }
    return slot.setPayloadLength(length);
  }

  // ---- copies

  /**
   * Returns a copy that stays valid. The copy has its own memory and the same room and MTU.
   * Allocates.
   */
  public Packet retain() {
    return new Packet(slot.copy());
  }

  /** Returns a copy of the packet's bytes. Allocates. */
  public byte[] toBytes() {
    byte[] copy = new byte[layout.total];
    bytes.get(layout.start, copy);
    return copy;
  }

  private boolean isV4() {
    return layout.family == 4;
  }

  private void inPayload(int i, int size) {
    Objects.checkFromIndexSize(i - layout.payload, size, layout.payloadLength);
  }
}
