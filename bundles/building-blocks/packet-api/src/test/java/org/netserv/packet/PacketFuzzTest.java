// SPDX-License-Identifier: Apache-2.0
package org.netserv.packet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PacketFuzzTest {
  private static final byte[] PAYLOAD = new byte[33];

  private static List<byte[]> samples() {
    byte[] extended =
        HexFormat.of().parseHex("3c000104000000001100010400000000" + "0001000200080000");
    byte[] fragment = HexFormat.of().parseHex("1100000100000007" + "0001000200100000ffffffff");
    byte[] routed = HexFormat.of().parseHex("1100000000000000" + "00010002000c000061626364");
    byte[] authenticated = HexFormat.of().parseHex("06010000000000000000000000");
    return List.of(
        Packets.udp4("192.0.2.1", 1, "192.0.2.2", 2, PAYLOAD).toBytes(),
        Packets.tcp4("192.0.2.1", 1, "192.0.2.2", 2, 24, PAYLOAD).toBytes(),
        Packets.udp6("2001:db8::1", 1, "2001:db8::2", 2, PAYLOAD).toBytes(),
        Packets.tcp6("2001:db8::1", 1, "2001:db8::2", 2, 24, PAYLOAD).toBytes(),
        Packets.raw6("2001:db8::1", "2001:db8::2", 0, extended).toBytes(),
        Packets.raw6("2001:db8::1", "2001:db8::2", 44, fragment).toBytes(),
        Packets.raw6("2001:db8::1", "2001:db8::2", 43, routed).toBytes(),
        Packets.raw6("2001:db8::1", "2001:db8::2", 99, authenticated).toBytes(),
        Packets.raw6("2001:db8::1", "2001:db8::2", 58, PAYLOAD).toBytes(),
        Packets.raw4("192.0.2.1", "192.0.2.2", 1, PAYLOAD).toBytes(),
        Packets.raw4("192.0.2.1", "192.0.2.2", 132, PAYLOAD).toBytes());
  }

  private static PacketCursor over(byte[] bytes) {
    // Exactly as large as the packet: reading past its end would throw.
    return new PacketCursor(ByteBuffer.wrap(bytes));
  }

  @Test
  void truncatedAtEveryLengthIsRefused() {
    for (byte[] whole : samples()) {
      for (int length = 0; length < whole.length; length++) {
        byte[] cut = Arrays.copyOf(whole, length);
        PacketCounters counters = new PacketCounters();
        PacketCursor cursor = new PacketCursor(ByteBuffer.wrap(cut), counters, () -> null);
        Malformed why = cursor.point(0, length, 0, length, 1500);
        assertNotNull(why, "length " + length);
        assertEquals(1, counters.refused(why));
      }
    }
  }

  /**
   * Cuts packets short, also with the IP length field made to fit, so that the inner headers are
   * too short.
   */
  @Test
  void shortenedPacketsNeverReadPastTheirEnd() {
    Set<Malformed> seen = EnumSet.noneOf(Malformed.class);
    for (byte[] whole : samples()) {
      boolean v4 = whole[0] >> 4 == 4;
      for (int length = v4 ? 20 : 40; length < whole.length; length++) {
        byte[] cut = Arrays.copyOf(whole, length);
        cut[v4 ? 3 : 5] = (byte) (v4 ? length : length - 40);
        PacketCursor cursor = over(cut);
        Malformed why = cursor.point(0, length, 0, length, 1500);
        if (why == null) {
          use(cursor.packet());
        } else {
          seen.add(why);
        }
      }
    }
    assertTrue(
        seen.containsAll(
            EnumSet.of(
                Malformed.EXTENSION_LENGTH,
                Malformed.JUMBOGRAM,
                Malformed.SHORT_TRANSPORT,
                Malformed.TINY_FRAGMENT,
                Malformed.TRANSPORT_LENGTH)),
        seen.toString());
  }

  @Test
  void namesWhatIsWrong() {
    assertEquals(Malformed.VERSION, broken(0, 0, 0x55));
    assertEquals(Malformed.HEADER_LENGTH, broken(0, 0, 0x44));
    assertEquals(Malformed.HEADER_LENGTH, broken(0, 3, 19));
    assertEquals(Malformed.TRUNCATED, broken(0, 2, 1));
    assertEquals(Malformed.TRANSPORT_LENGTH, broken(0, 25, 7));
    assertEquals(Malformed.TRANSPORT_LENGTH, broken(0, 25, 42));
    assertEquals(Malformed.TRANSPORT_LENGTH, broken(1, 32, 0x40));
    assertEquals(Malformed.TRANSPORT_LENGTH, broken(1, 32, 0xf0));
    assertEquals(Malformed.EXTENSION_LENGTH, broken(4, 41, 9));
    assertEquals(Malformed.EXTENSION_CHAIN, broken(4, 40, 0));
    assertEquals(Malformed.SOURCE_ROUTED, broken(6, 43, 1));
    byte[] far = samples().get(0);
    far[6] = 0x3f;
    far[7] = (byte) 0xff;
    assertEquals(Malformed.FRAGMENT_RANGE, refusal(far));
  }

  @Test
  void boundsTheChainOfExtensionHeaders() {
    byte[] chain = new byte[8 * (Packet.MAX_EXTENSIONS + 1)];
    for (int i = 0; i < chain.length; i += 8) {
      chain[i] = 60;
    }
    chain[chain.length - 8] = 59;
    byte[] packet = Packets.raw6("2001:db8::1", "2001:db8::2", 99, chain).toBytes();
    packet[6] = 60;
    assertEquals(Malformed.EXTENSION_CHAIN, refusal(packet));
    packet[40] = 59;
    PacketCursor ok = over(packet);
    assertNull(ok.point(0, packet.length, 0, packet.length, 1500));
    assertEquals(59, ok.packet().protocol());
  }

  private static Malformed broken(int sample, int at, int value) {
    byte[] bytes = samples().get(sample);
    bytes[at] = (byte) value;
    return refusal(bytes);
  }

  private static Malformed refusal(byte[] bytes) {
    return over(bytes).point(0, bytes.length, 0, bytes.length, 1500);
  }

  @Test
  void mutatedPacketsNeverThrow() {
    Random random = new Random(4475);
    List<byte[]> samples = samples();
    int good = 0;
    for (int round = 0; round < 200_000; round++) {
      byte[] bytes = samples.get(random.nextInt(samples.size())).clone();
      for (int i = random.nextInt(6); i >= 0; i--) {
        bytes[random.nextInt(Math.min(bytes.length, 64))] = (byte) random.nextInt();
      }
      int length = random.nextInt(bytes.length + 1);
      PacketCursor cursor = over(Arrays.copyOf(bytes, length));
      if (cursor.point(0, length, 0, length, 1500) == null) {
        use(cursor.packet());
        good++;
      }
    }
    assertTrue(good > 1000, "only " + good + " packets were well-formed");
  }

  /** Every getter, every setter. */
  private static void use(Packet p) {
    int end = p.payloadOffset() + p.payloadLength();
    assertTrue(end <= p.length() && p.payloadLength() >= 0);
    assertEquals(p.length(), p.toBytes().length);
    p.setTtl(p.ttl() - 1);
    p.swapEndpoints();
    if (p.family() == 4) {
      p.setSource4(p.destination4());
    } else {
      p.setDestination6(p.sourceHigh(), p.sourceLow());
    }
    if (p.hasPorts()) {
      p.setSourcePort(p.destinationPort() + p.tcpFlags());
    }
    if (p.payloadLength() > 0) {
      p.set(end - 1, p.get(p.payloadOffset()));
    }
    p.setPayloadLength(p.payloadLength() / 2);
    p.setPayload(PAYLOAD, 0, PAYLOAD.length);
    p.retain();
  }

  /** Random changes to good packets: the checksums stay right. */
  @Test
  void settersKeepChecksumsRight() {
    Random random = new Random(1624);
    List<byte[]> samples =
        samples().stream().filter(Naive::valid).filter(s -> s[6] != 44 && s[6] != 43).toList();
    for (int round = 0; round < 50_000; round++) {
      Packet p = Packets.of(samples.get(random.nextInt(samples.size())));
      for (int i = 0; i < 5; i++) {
        change(p, random);
      }
      assertTrue(Naive.valid(p.toBytes()), HexFormat.of().formatHex(p.toBytes()));
    }
  }

  private static void change(Packet p, Random random) {
    switch (random.nextInt(7)) {
      case 0 -> p.setTtl(random.nextInt());
      case 1 -> p.swapEndpoints();
      case 2 -> {
        if (p.family() == 4) {
          p.setDestination4(random.nextInt());
        } else {
          p.setSource6(random.nextLong(), random.nextLong());
        }
      }
      case 3 -> {
        if (p.hasPorts()) {
          p.setDestinationPort(random.nextInt());
        }
      }
      case 4 -> {
        int words = p.payloadLength() - 8;
        if (words >= 0 && p.hasPorts()) {
          p.setLong(p.payloadOffset() + random.nextInt(words + 1), random.nextLong());
        }
      }
      case 5 -> p.setPayloadLength(8 + random.nextInt(100));
      default -> {
        byte[] payload = new byte[8 + random.nextInt(60)];
        random.nextBytes(payload);
        p.setPayload(payload, 0, payload.length);
      }
    }
  }
}
