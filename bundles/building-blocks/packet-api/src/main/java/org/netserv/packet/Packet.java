// SPDX-License-Identifier: Apache-2.0
package org.netserv.packet;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/**
 * One IP packet, as a view on the slot that holds it: re-pointed for each packet, never allocated.
 *
 * <p><b>Validity.</b> A packet is valid until the call that handed it over returns; afterwards the
 * same object shows another packet. {@link #retain()} copies. <b>Threads.</b> Only the thread that
 * received it may touch it. <b>Trust.</b> Lengths were checked once, by {@link #wrap}; malformed
 * packets never reach a module.
 *
 * <p>Offsets count from the IP header, numbers are big-endian and returned unsigned in an int where
 * they have 8 or 16 bits. Setters keep the checksums of IPv4, UDP, TCP, ICMP and ICMPv6 right;
 * checksums of other protocols are the module's business. A UDP checksum of 0 over IPv4 means
 * "none" and stays. Changing a packet has an effect only if the module then answers {@link
 * Verdict#CHANGED}.
 *
 * <pre>
 *   slot   low          start                                     start + length      high
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

  private final ByteBuffer bytes;
  private final ByteBuffer view;
  private final Layout layout = new Layout();
  private final Map<Malformed, LongAdder> malformed = new EnumMap<>(Malformed.class);
  private final LongAdder tooLong = new LongAdder();
  private final LongAdder noRoom = new LongAdder();
  private Theft theft = packet -> null;
  private int low;
  private int high;
  private int start;
  private int received;
  private int mtu;
  private int micros;
  private boolean sample;
  private int changes;
  private Malformed refusal;
  private String reason;
  private Stolen stolen;
  private int offload;

  /** A view on {@code slots}, direct or heap; its position, limit and byte order do not matter. */
  public Packet(ByteBuffer slots) {
    bytes = slots.duplicate().clear().order(ByteOrder.BIG_ENDIAN);
    view = slots.asReadOnlyBuffer().clear().order(ByteOrder.BIG_ENDIAN);
    for (Malformed why : Malformed.values()) {
      malformed.put(why, new LongAdder());
    }
  }

  // ---- pointing it at a packet: for the dispatcher and tests

  /**
   * Points this view at a packet and checks every length there is.
   *
   * @param low first byte of the slot
   * @param high end of the slot (exclusive)
   * @param start of the IP header, absolute
   * @param length received bytes; bytes behind the IP length are cut off
   * @param mtu the packet must not grow beyond; 0 = not beyond its present length
   * @return false if it is malformed: see {@link #refusal()}; no other method may be used then
   */
  public boolean wrap(int low, int high, int start, int length, int mtu) {
    Objects.checkFromToIndex(low, high, bytes.capacity());
    Objects.checkFromIndexSize(start - low, length, high - low);
    this.low = low;
    this.high = high;
    this.start = start;
    this.mtu = mtu;
    sample = false;
    micros = 0;
    changes = 0;
    view.clear();
    begin();
    refusal = layout.parse(bytes, start, length);
    if (refusal != null) {
      malformed.get(refusal).increment();
      return false;
    }
    received = layout.total;
    return true;
  }

  /** Sets the properties that are not in the packet itself. Call it after {@link #wrap}. */
  public void received(boolean sample, int micros) {
    this.sample = sample;
    this.micros = micros;
  }

  /** Forgets the last module's reason, theft and offload, before the next module runs. */
  public void begin() {
    reason = null;
    stolen = null;
    offload = 0;
  }

  /** Sets the object that answers {@link #steal}. Without it nothing can be stolen. */
  public void theft(Theft theft) {
    this.theft = theft;
  }

  /** Returns the reason of the last {@link #wrap} to fail, or null. */
  public Malformed refusal() {
    return refusal;
  }

  /**
   * Returns the number of packets that {@link #wrap} has refused for this reason. From any thread.
   */
  public long refused(Malformed why) {
    return malformed.get(why).sum();
  }

  /** Returns the number of changes by setters since {@link #wrap}. */
  public int changes() {
    return changes;
  }

  /** Returns the seconds of {@link #offload} since {@link #begin}; 0 = not asked for. */
  public int offloadSeconds() {
    return offload;
  }

  /** The last verdict's reason, or null. */
  public String reason() {
    return reason;
  }

  /** Payloads refused because the packet would exceed its MTU. From any thread. */
  public long refusedTooLong() {
    return tooLong.sum();
  }

  /**
   * Payloads refused because the slot has no room, or the packet is a fragment. From any thread.
   */
  public long refusedNoRoom() {
    return noRoom.sum();
  }

  // ---- IP

  /** 4 or 6. */
  public int family() {
    return layout.family;
  }

  /** Bytes of the IP packet. */
  public int length() {
    return layout.total;
  }

  /**
   * Returns the largest length that the packet may have, in bytes. Never below its length on
   * arrival.
   */
  public int mtu() {
    return Math.max(mtu, received);
  }

  /** TTL or hop limit, 0-255. */
  public int ttl() {
    return bytes.get(start + (isV4() ? 8 : 7)) & 0xff;
  }

  public void setTtl(int ttl) {
    if (isV4()) {
      int word = bytes.getShort(start + 8) & 0xff;
      header4(8, (ttl & 0xff) << 8 | word);
    } else {
      bytes.put(start + 7, (byte) ttl);
    }
    changes++;
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

  /**
   * Tells whether the packet is a copy of one that has already travelled on. The verdict is then
   * ignored.
   */
  public boolean isSample() {
    return sample;
  }

  /**
   * Returns the arrival time in microseconds of a monotonic clock, which wraps every 71 minutes.
   */
  public int arrivalMicros() {
    return micros;
  }

  /** IPv4 source address. Only if {@link #family()} is 4. */
  public int source4() {
    return bytes.getInt(start + 12);
  }

  /** IPv4 destination address. Only if {@link #family()} is 4. */
  public int destination4() {
    return bytes.getInt(start + 16);
  }

  /** Upper half of the source address; IPv4 addresses as ::ffff:a.b.c.d. */
  public long sourceHigh() {
    return isV4() ? 0 : bytes.getLong(start + 8);
  }

  /** Lower half of the source address. */
  public long sourceLow() {
    return isV4() ? MAPPED | (source4() & 0xffffffffL) : bytes.getLong(start + 16);
  }

  /** Upper half of the destination address. */
  public long destinationHigh() {
    return isV4() ? 0 : bytes.getLong(start + 24);
  }

  /** Lower half of the destination address. */
  public long destinationLow() {
    return isV4() ? MAPPED | (destination4() & 0xffffffffL) : bytes.getLong(start + 32);
  }

  /** Sets the IPv4 source address. Only if {@link #family()} is 4. */
  public void setSource4(int address) {
    address4(12, address);
  }

  /** Sets the IPv4 destination address. Only if {@link #family()} is 4. */
  public void setDestination4(int address) {
    address4(16, address);
  }

  /** Sets the IPv6 source address. Only if {@link #family()} is 6. */
  public void setSource6(long addressHigh, long addressLow) {
    address6(8, addressHigh, addressLow);
  }

  /** Sets the IPv6 destination address. Only if {@link #family()} is 6. */
  public void setDestination6(long addressHigh, long addressLow) {
    address6(24, addressHigh, addressLow);
  }

  /** Turns the packet around: swaps addresses and, if it has them, ports. No checksum changes. */
  public void swapEndpoints() {
    if (isV4()) {
      int source = source4();
      bytes.putInt(start + 12, destination4());
      bytes.putInt(start + 16, source);
    } else {
      swapLongs(start + 8, start + 24);
      swapLongs(start + 16, start + 32);
    }
    if (hasPorts()) {
      int at = start + layout.transport;
      bytes.putInt(at, Integer.rotateLeft(bytes.getInt(at), 16));
    }
    changes++;
  }

  // ---- UDP and TCP

  /** Tells whether there is a UDP or TCP header. */
  public boolean hasPorts() {
    return layout.ports;
  }

  /** 0-65535, or -1 without ports. */
  public int sourcePort() {
    return layout.ports ? bytes.getShort(start + layout.transport) & 0xffff : -1;
  }

  /** 0-65535, or -1 without ports. */
  public int destinationPort() {
    return layout.ports ? bytes.getShort(start + layout.transport + 2) & 0xffff : -1;
  }

  /** Needs {@link #hasPorts()}. */
  public void setSourcePort(int port) {
    port(0, port);
  }

  /** Needs {@link #hasPorts()}. */
  public void setDestinationPort(int port) {
    port(2, port);
  }

  /**
   * Flag byte of TCP (FIN 1, SYN 2, RST 4, PSH 8, ACK 16), or 0 if this is not TCP with a header.
   */
  public int tcpFlags() {
    boolean tcp = layout.ports && layout.protocol == TCP;
    return tcp ? bytes.get(start + layout.transport + 13) & 0xff : 0;
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
    return bytes.get(start + Objects.checkIndex(i, layout.total));
  }

  /** Two bytes, signed. */
  public short getShort(int i) {
    return bytes.getShort(start + Objects.checkFromIndexSize(i, 2, layout.total));
  }

  public int getInt(int i) {
    return bytes.getInt(start + Objects.checkFromIndexSize(i, 4, layout.total));
  }

  public long getLong(int i) {
    return bytes.getLong(start + Objects.checkFromIndexSize(i, 8, layout.total));
  }

  /** Copies bytes out. */
  public void get(int i, byte[] target, int offset, int length) {
    bytes.get(start + Objects.checkFromIndexSize(i, length, layout.total), target, offset, length);
  }

  /**
   * The whole slot area, big-endian and read-only; this packet is at {@link #start()}. Scanners use
   * absolute indexes; its position and limit are reset for each packet.
   */
  public ByteBuffer buffer() {
    return view;
  }

  /** Absolute index of the IP header in {@link #buffer()}; changes when the packet grows. */
  public int start() {
    return start;
  }

  /** Changes one byte of the payload. */
  public void set(int i, byte value) {
    inPayload(i, 1);
    int at = start + i;
    int shift = (i - layout.transport & 1) == 0 ? 8 : 0;
    int before = (bytes.get(at) & 0xff) << shift;
    bytes.put(at, value);
    transportChecksum(before, (value & 0xff) << shift);
    changes++;
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
   * Replaces the payload; lengths and checksums follow. The packet may grow into the slot's tail
   * room and, when that is used up, its head room.
   *
   * @return false, counted and with the packet as it was, if it would exceed {@link #mtu()} or the
   *     room, or if it is a fragment
   */
  public boolean setPayload(byte[] source, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, source.length);
    if (!resize(length)) {
      return false;
    }
    bytes.put(start + layout.payload, source, offset, length);
    seal();
    return true;
  }

  /** As {@link #setPayload(byte[], int, int)}; {@code offset} is absolute in {@code source}. */
  public boolean setPayload(ByteBuffer source, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, source.limit());
    if (!resize(length)) {
      return false;
    }
    bytes.put(start + layout.payload, source, offset, length);
    seal();
    return true;
  }

  /** Cuts the payload, or extends it by zero bytes. Refuses as {@link #setPayload} does. */
  public boolean setPayloadLength(int length) {
    int before = layout.payloadLength;
    if (length < 0) {
      throw new IllegalArgumentException("negative payload length " + length);
    }
    int oldStart = start;
    if (!resize(length)) {
      return false;
    }
    if (start != oldStart) {
      int kept = Math.min(before, length);
      bytes.put(start + layout.payload, bytes, oldStart + layout.payload, kept);
    }
    for (int i = before; i < length; i++) {
      bytes.put(start + layout.payload + i, (byte) 0);
    }
    seal();
    return true;
  }

  // ---- verdicts

  /**
   * Returns {@link Verdict#PASS}, with a reason for {@code trace}. The reason is a constant, not
   * built for each packet.
   */
  public Verdict pass(String why) {
    reason = why;
    return Verdict.PASS;
  }

  public Verdict drop(String why) {
    reason = why;
    return Verdict.DROP;
  }

  public Verdict changed(String why) {
    reason = why;
    return Verdict.CHANGED;
  }

  /**
   * Takes the packet away, to be answered through {@link #stolen()}. The packet must be unchanged,
   * because changes are lost.
   *
   * @return PASS if it may not be stolen, because too many are stolen already or it is a sample
   */
  public Verdict steal(String why) {
    if (stolen == null) {
      stolen = sample ? null : theft.take(this);
    }
    reason = stolen == null ? "steal refused" : why;
    return stolen == null ? Verdict.PASS : Verdict.STOLEN;
  }

  /**
   * Asks that the verdict this module is about to return hold for the rest of this packet's flow.
   * The flow is all packets with the same addresses, protocol and ports as this packet had when it
   * came. The kernel then decides them, no module sees them, and user space delays none of them.
   * Call it before returning PASS, DROP or CHANGED. The last call counts. An exception or STOLEN
   * undoes it.
   *
   * <p>With CHANGED the kernel repeats the difference between the headers: addresses, ports, DSCP
   * and TTL (which it never raises). A packet changed in anything else, or in length, goes out
   * alone, and the flow stays with the modules.
   *
   * <p>The offload ends after {@code seconds}, after 30 seconds without a packet, and at once when
   * the publisher has no filter for the flow any more, or its container ends. The flow's next
   * packet then comes to the modules again.
   *
   * <p>The offload is a wish. The module is not told of a refusal, but each kind of refusal has its
   * counter at the node. The node refuses the offload in these cases:
   *
   * <ul>
   *   <li>The node has no fast path.
   *   <li>Another module of this container saw the packet and did not ask, samples the flow, or
   *       takes only the first packets of connections.
   *   <li>The publisher's flows are used up.
   *   <li>A rewrite breaks the publisher's rules.
   * </ul>
   *
   * Packets then keep coming, so ask again if you like. {@link Flows} shows the flows that the
   * kernel has. With several modules in agreement the fewest seconds count.
   *
   * @param seconds 1 to 65535
   * @return false if it cannot be, and is not asked for: this is a sample or a fragment
   * @throws IllegalArgumentException if the seconds are out of range
   */
  public boolean offload(int seconds) {
    if (seconds < 1 || seconds > 0xffff) {
      throw new IllegalArgumentException("seconds are 1-65535, not " + seconds);
    }
    if (sample || layout.fragment) {
      return false;
    }
    offload = seconds;
    return true;
  }

  /** Returns the handle of a packet for which {@link #steal} has returned STOLEN, else null. */
  public Stolen stolen() {
    return stolen;
  }

  /**
   * Returns a copy that stays valid. The copy has its own memory and the same room and MTU.
   * Allocates.
   */
  public Packet retain() {
    ByteBuffer copy = ByteBuffer.allocate(high - low);
    copy.put(0, bytes, low, high - low);
    Packet packet = new Packet(copy);
    packet.wrap(0, high - low, start - low, layout.total, mtu());
    packet.received(sample, micros);
    packet.changes = changes;
    return packet;
  }

  /** The packet's bytes. It allocates. */
  public byte[] toBytes() {
    byte[] copy = new byte[layout.total];
    bytes.get(start, copy);
    return copy;
  }

  // ---- keeping it consistent

  private boolean isV4() {
    return layout.family == 4;
  }

  private void inPayload(int i, int size) {
    Objects.checkFromIndexSize(i - layout.payload, size, layout.payloadLength);
  }

  private void swapLongs(int a, int b) {
    long value = bytes.getLong(a);
    bytes.putLong(a, bytes.getLong(b));
    bytes.putLong(b, value);
  }

  private void port(int offset, int port) {
    if (!layout.ports) {
      throw new IllegalStateException("protocol " + layout.protocol + " has no ports here");
    }
    int at = start + layout.transport + offset;
    int before = bytes.getShort(at) & 0xffff;
    bytes.putShort(at, (short) port);
    transportChecksum(before, port & 0xffff);
    changes++;
  }

  private void address4(int offset, int address) {
    if (!isV4()) {
      throw new IllegalStateException("not an IPv4 packet");
    }
    int at = start + offset;
    int before = Checksum.sum(bytes, at, 4);
    bytes.putInt(at, address);
    int after = Checksum.sum(bytes, at, 4);
    headerChecksum(before, after);
    if (layout.protocol != ICMP) {
      transportChecksum(before, after);
    }
    changes++;
  }

  private void address6(int offset, long addressHigh, long addressLow) {
    if (isV4()) {
      throw new IllegalStateException("not an IPv6 packet");
    }
    int at = start + offset;
    int before = Checksum.sum(bytes, at, 16);
    bytes.putLong(at, addressHigh);
    bytes.putLong(at + 8, addressLow);
    transportChecksum(before, Checksum.sum(bytes, at, 16));
    changes++;
  }

  /** Sets a 16-bit word of the IPv4 header. */
  private void header4(int offset, int value) {
    int before = bytes.getShort(start + offset) & 0xffff;
    bytes.putShort(start + offset, (short) value);
    headerChecksum(before, value & 0xffff);
  }

  private void headerChecksum(int before, int after) {
    int old = bytes.getShort(start + 10) & 0xffff;
    bytes.putShort(start + 10, (short) Checksum.update(old, before, after));
  }

  private void transportChecksum(int before, int after) {
    if (layout.checksum < 0) {
      return;
    }
    int at = start + layout.checksum;
    int old = bytes.getShort(at) & 0xffff;
    if (old == 0 && layout.protocol == UDP) {
      return;
    }
    bytes.putShort(at, (short) notZero(Checksum.update(old, before, after)));
  }

  /** RFC 768: a computed 0 is sent as all ones, because 0 means "none". */
  private int notZero(int checksum) {
    return checksum == 0 && layout.protocol == UDP ? 0xffff : checksum;
  }

  /** Makes room for a payload of this length; moves the headers, not the payload. */
  private boolean resize(int payloadLength) {
    int total = layout.payload + payloadLength;
    if (total > mtu() && total > layout.total) {
      tooLong.increment();
      return false;
    }
    if (layout.fragment || total > high - low || total > 0xffff) {
      noRoom.increment();
      return false;
    }
    int excess = start + total - high;
    if (excess > 0) {
      bytes.put(start - excess, bytes, start, layout.payload);
      start -= excess;
    }
    layout.total = total;
    layout.payloadLength = payloadLength;
    return true;
  }

  /** Writes length fields and the checksums anew. */
  private void seal() {
    changes++;
    if (isV4()) {
      header4(2, layout.total);
    } else {
      bytes.putShort(start + 4, (short) (layout.total - Layout.IPV6_HEADER));
    }
    int length = layout.total - layout.transport;
    if (layout.protocol == UDP) {
      bytes.putShort(start + layout.transport + 4, (short) length);
    }
    if (layout.checksum < 0 || isUnsummed()) {
      return;
    }
    int at = start + layout.checksum;
    bytes.putShort(at, (short) 0);
    long sum = Checksum.sum(bytes, start + layout.transport, length);
    if (!(isV4() && layout.protocol == ICMP)) {
      sum += pseudoHeader(length);
    }
    bytes.putShort(at, (short) notZero(~Checksum.fold(sum) & 0xffff));
  }

  private boolean isUnsummed() {
    return isV4() && layout.protocol == UDP && bytes.getShort(start + layout.checksum) == 0;
  }

  /** RFC 768 and RFC 8200 section 8.1. */
  private long pseudoHeader(int length) {
    int addresses =
        isV4() ? Checksum.sum(bytes, start + 12, 8) : Checksum.sum(bytes, start + 8, 32);
    return (long) addresses + layout.protocol + length;
  }
}
