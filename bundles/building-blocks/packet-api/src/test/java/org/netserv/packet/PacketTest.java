// SPDX-License-Identifier: Apache-2.0
package org.netserv.packet;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class PacketTest {
  /** The IPv4 header that is worked out by hand in many textbooks: checksum 0xb861. */
  private static final String HEADER = "450000730000400040 11 b861 c0a80001 c0a800c7";

  private static final byte[] HELLO = "hello".getBytes(StandardCharsets.US_ASCII);

  private final PacketCounters counters = new PacketCounters();

  /** A cursor at a packet that is alone in its slot area. */
  private PacketCursor at(ByteBuffer slot, int start, int length, int mtu) {
    PacketCursor cursor = new PacketCursor(slot, counters, () -> null);
    assertNull(cursor.point(0, slot.capacity(), start, length, mtu));
    return cursor;
  }

  private static byte[] hex(String text) {
    return HexFormat.of().parseHex(text.replace(" ", ""));
  }

  @Test
  void knownHeaderChecksum() {
    byte[] bytes = new byte[0x73];
    System.arraycopy(hex(HEADER), 0, bytes, 0, 20);
    bytes[25] = 0x5f; // UDP length 0x5f = 95
    Packet packet = Packets.of(bytes);
    packet.setTtl(63);
    // 0x4011 becomes 0x3f11: the checksum grows by 0x0100.
    assertEquals((short) 0xb961, packet.getShort(10));
    packet.setTtl(64);
    assertEquals((short) 0xb861, packet.getShort(10));
  }

  @Test
  void readsUdpOverIpv4() {
    Packet p = Packets.udp4("192.0.2.1", 1234, "198.51.100.2", 5060, HELLO);
    assertEquals(4, p.family());
    assertEquals(33, p.length());
    assertEquals(Packet.UDP, p.protocol());
    assertEquals(64, p.ttl());
    assertEquals(0xc0000201, p.source4());
    assertEquals(0xc6336402, p.destination4());
    assertEquals(0, p.sourceHigh());
    assertEquals(0x0000ffffc0000201L, p.sourceLow());
    assertEquals(0x0000ffffc6336402L, p.destinationLow());
    assertEquals(1234, p.sourcePort());
    assertEquals(5060, p.destinationPort());
    assertEquals(28, p.payloadOffset());
    assertEquals(5, p.payloadLength());
    assertEquals('h', p.get(28));
    assertEquals(0x68656c6c, p.getInt(28));
    assertEquals('h', p.buffer().get(p.start() + 28));
    assertTrue(Naive.valid(p.toBytes()));
    assertThrows(IndexOutOfBoundsException.class, () -> p.get(33));
    assertThrows(IndexOutOfBoundsException.class, () -> p.getLong(26));
    assertThrows(ReadOnlyBufferException.class, () -> p.buffer().put(0, (byte) 1));
  }

  @Test
  void readsTcpOverIpv6() {
    Packet p = Packets.tcp6("2001:db8::1", 80, "2001:db8:1::2", 50000, 2, HELLO);
    assertEquals(6, p.family());
    assertEquals(0x20010db800000000L, p.sourceHigh());
    assertEquals(1, p.sourceLow());
    assertEquals(0x20010db800010000L, p.destinationHigh());
    assertEquals(2, p.destinationLow());
    assertEquals(2, p.tcpFlags());
    assertEquals(60, p.payloadOffset());
    assertEquals(5, p.payloadLength());
    assertTrue(Naive.valid(p.toBytes()));
  }

  @Test
  void walksExtensionHeaders() {
    String chain = "3c00010400000000" + "1100010400000000"; // hop-by-hop, destination options
    Packet p = Packets.raw6("2001:db8::1", "2001:db8::2", 0, hex(chain + "0001000200080000"));
    assertEquals(Packet.UDP, p.protocol());
    assertEquals(56, p.transportOffset());
    assertEquals(1, p.sourcePort());
    assertTrue(p.setPayload(HELLO, 0, 5));
    assertEquals(69, p.length());
    assertTrue(Naive.valid(p.toBytes()));
  }

  @Test
  void fragments() {
    byte[] first = Packets.udp4("192.0.2.1", 1, "192.0.2.2", 2, new byte[64]).toBytes();
    first[6] = 0x20;
    PacketCursor cursor = at(ByteBuffer.wrap(first), 0, first.length, 1500);
    Packet p = cursor.packet();
    assertTrue(p.isFragment() && p.hasPorts());
    assertFalse(p.setPayload(HELLO, 0, 5));
    assertEquals(1, counters.refusedNoRoom());
    first[7] = 8;
    Packet later = Packets.of(first);
    assertFalse(later.hasPorts());
    assertEquals(-1, later.sourcePort());
    assertEquals(20, later.payloadOffset());
    assertThrows(IllegalStateException.class, () -> later.setSourcePort(1));
  }

  @Test
  void swapKeepsChecksumsAndSwapsBack() {
    byte[] before = Packets.udp6("2001:db8::1", 1, "2001:db8:2::3", 2, HELLO).toBytes();
    PacketCursor cursor = at(ByteBuffer.wrap(before.clone()), 0, before.length, 1500);
    Packet p = cursor.packet();
    p.swapEndpoints();
    assertEquals(2, p.sourcePort());
    assertEquals(3, p.sourceLow());
    assertTrue(Naive.valid(p.toBytes()));
    p.swapEndpoints();
    assertArrayEquals(before, p.toBytes());
    assertEquals(2, cursor.changes());
  }

  @Test
  void missingUdpChecksumStaysMissing() {
    byte[] bytes = Packets.udp4("192.0.2.1", 1, "192.0.2.2", 2, HELLO).toBytes();
    bytes[26] = 0;
    bytes[27] = 0;
    Packet p = Packets.of(bytes);
    p.setSourcePort(99);
    p.setDestination4(0x01020304);
    assertTrue(p.setPayload(HELLO, 1, 3));
    assertEquals(0, p.getShort(26));
    assertTrue(Naive.valid(p.toBytes()));
  }

  @Test
  void udpChecksumIsNeverComputedAsZero() {
    Packet p = Packets.udp4("192.0.2.1", 1, "192.0.2.2", 2, new byte[2]);
    int sum = ~p.getShort(26) & 0xffff;
    // The payload that makes all words add up to all ones, so that the checksum would be 0.
    p.setShort(28, (short) (0xffff - sum));
    assertEquals((short) 0xffff, p.getShort(26));
    assertTrue(Naive.valid(p.toBytes()));
    assertTrue(p.setPayloadLength(2));
    assertEquals((short) 0xffff, p.getShort(26));
  }

  @Test
  void growsIntoTailRoomThenHeadRoom() {
    ByteBuffer slot = ByteBuffer.allocateDirect(256);
    byte[] bytes = Packets.udp4("192.0.2.1", 1, "192.0.2.2", 2, HELLO).toBytes();
    slot.put(100, bytes);
    Packet p = at(slot, 100, bytes.length, 1500).packet();
    assertTrue(p.setPayload(new byte[128], 0, 128));
    assertEquals(100, p.start());
    assertTrue(p.setPayloadLength(200));
    assertEquals(28, p.start());
    assertEquals(228, p.length());
    assertTrue(Naive.valid(p.toBytes()));
    byte[] same = p.toBytes();
    assertFalse(p.setPayloadLength(229));
    assertEquals(1, counters.refusedNoRoom());
    assertArrayEquals(same, p.toBytes());
  }

  @Test
  void movingTheHeadersKeepsTheOldPayload() {
    ByteBuffer slot = ByteBuffer.allocate(128);
    byte[] bytes = Packets.udp4("192.0.2.1", 1, "192.0.2.2", 2, HELLO).toBytes();
    slot.put(90, bytes);
    Packet p = at(slot, 90, bytes.length, 1500).packet();
    assertTrue(p.setPayloadLength(40));
    byte[] payload = new byte[6];
    p.get(28, payload, 0, 6);
    assertArrayEquals("hello\0".getBytes(StandardCharsets.US_ASCII), payload);
    assertTrue(Naive.valid(p.toBytes()));
  }

  @Test
  void refusesToGrowPastTheMtuButNotToShrink() {
    ByteBuffer slot = ByteBuffer.allocate(2048);
    byte[] bytes = Packets.udp4("192.0.2.1", 1, "192.0.2.2", 2, new byte[100]).toBytes();
    slot.put(128, bytes);
    PacketCursor cursor = at(slot, 128, bytes.length, 120);
    Packet p = cursor.packet();
    assertFalse(p.setPayload(new byte[101], 0, 101));
    assertEquals(1, counters.refusedTooLong());
    assertEquals(0, cursor.changes());
    assertTrue(p.setPayload(new byte[90], 0, 90));
    assertTrue(p.setPayload(new byte[100], 0, 100), "as long as it came");
  }

  @Test
  void icmpv6AndIcmpChecksumsFollow() {
    Packet six = Packets.raw6("2001:db8::1", "2001:db8::2", 58, hex("8000000000010001"));
    assertTrue(Naive.valid(six.toBytes()));
    six.setSource6(5, 6);
    six.set(six.payloadOffset(), (byte) 129);
    assertTrue(Naive.valid(six.toBytes()));
    Packet four = Packets.raw4("192.0.2.1", "192.0.2.2", 1, hex("08000000000100017f"));
    four.setSource4(7);
    four.set(28, (byte) 3);
    assertTrue(Naive.valid(four.toBytes()));
  }

  @Test
  void surplusBehindUdpIsNotPayload() {
    byte[] bytes = Packets.udp4("192.0.2.1", 1, "192.0.2.2", 2, HELLO).toBytes();
    bytes[25] = 10;
    assertEquals(2, Packets.of(bytes).payloadLength());
  }

  @Test
  void retainedCopyIsIndependent() {
    Packet p = Packets.udp4("192.0.2.1", 1, "192.0.2.2", 2, HELLO);
    Packet copy = p.retain();
    p.setTtl(1);
    assertEquals(64, copy.ttl());
    assertTrue(copy.setPayload(new byte[500], 0, 500));
    assertEquals(33, p.length());
  }
}
