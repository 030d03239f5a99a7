// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.netserv.gist.port.IcmpError;
import org.netserv.gist.port.InboundDatagram;
import org.netserv.gist.port.OutboundDatagram;

/** The frames of sigio against the vectors that the C side reads, too. */
final class SigioFrameTest {
  private static final long TOKEN = 0x0102030405060708L;
  private static final byte[] PAYLOAD = HexFormat.of().parseHex("4e04bda50103000100008100");
  private static final List<String> FROM_SIGIO =
      List.of("hello", "packet4", "packet6", "failed", "icmp4", "icmp6", "counters");

  private static SigioFrame read(byte[] frame) throws SigioFrame.FormatException {
    return SigioFrame.read(ByteBuffer.wrap(frame));
  }

  private static SigioFrame read(String name) throws Exception {
    return read(SigioVectors.frame(name));
  }

  private static InetAddress address(String text) throws Exception {
    return InetAddress.getByName(text);
  }

  @Test
  void helloIsTheSameBothWays() throws Exception {
    assertEquals(new SigioFrame.Hello(1, 0), read("hello"));
    assertArrayEquals(SigioVectors.frame("hello"), SigioFrame.hello());
  }

  @Test
  void aPacketOfIpv4HasAllItsFields() throws Exception {
    SigioFrame.Packet packet = assertInstanceOf(SigioFrame.Packet.class, read("packet4"));
    InboundDatagram datagram = packet.datagram();
    assertEquals(TOKEN, datagram.token());
    assertEquals(address("192.0.2.1"), datagram.source());
    assertEquals(40_000, datagram.sourcePort());
    assertEquals(address("198.51.100.7"), datagram.destination());
    assertEquals(270, datagram.destinationPort());
    assertEquals(61, datagram.ttl());
    assertEquals(0xb8, datagram.trafficClass());
    assertEquals(0, datagram.flowLabel());
    assertEquals(0xffdf, datagram.routerAlert());
    assertEquals(3, datagram.interfaceIndex());
    assertTrue(datagram.local());
    assertArrayEquals(PAYLOAD, datagram.payload());
    assertEquals(1500, packet.mtu());
  }

  @Test
  void aDatagramOfOurSocketHasNoTokenAndNoAlert() throws Exception {
    SigioFrame.Packet packet = assertInstanceOf(SigioFrame.Packet.class, read("packet6"));
    InboundDatagram datagram = packet.datagram();
    assertEquals(0, datagram.token());
    assertEquals(-1, datagram.routerAlert());
    assertEquals(0xabcde, datagram.flowLabel());
    assertEquals(255, datagram.ttl());
    assertEquals(address("2001:db8::1"), datagram.source());
    assertEquals(address("2001:db8:1::2"), datagram.destination());
    assertEquals(1280, packet.mtu());
  }

  @Test
  void errorsQuoteWhatTheyAreAbout() throws Exception {
    IcmpError four = assertInstanceOf(SigioFrame.Icmp.class, read("icmp4")).error();
    assertTrue(four.portUnreachable());
    assertEquals(address("203.0.113.9"), four.offender());
    assertEquals(address("198.51.100.7"), four.destination());
    assertArrayEquals(PAYLOAD, four.payload());
    IcmpError six = assertInstanceOf(SigioFrame.Icmp.class, read("icmp6")).error();
    assertEquals(1400, six.mtu());
    assertEquals(0, six.payload().length);
  }

  @Test
  void anErrorWithoutAnOffenderNamesNone() throws Exception {
    byte[] frame = SigioVectors.frame("icmp4");
    Arrays.fill(frame, 4 + 64 + 8, 4 + 64 + 24, (byte) 0);
    assertNull(assertInstanceOf(SigioFrame.Icmp.class, read(frame)).error().offender());
  }

  @Test
  void failedAndCounters() throws Exception {
    assertEquals(new SigioFrame.Failed(9, 90, 1280), read("failed"));
    long[] values = assertInstanceOf(SigioFrame.Counters.class, read("counters")).values();
    assertArrayEquals(LongStream.rangeClosed(1, SigioCounters.NAMES.size()).toArray(), values);
  }

  @Test
  void verdictsAndDatagramsAreWritten() throws Exception {
    byte[] none = {};
    assertArrayEquals(
        SigioVectors.frame("verdict-on"),
        SigioFrame.verdict(TOKEN, SigioFrame.Verdict.GO_ON, none));
    assertArrayEquals(
        SigioVectors.frame("verdict-taken"),
        SigioFrame.verdict(TOKEN, SigioFrame.Verdict.TAKEN, none));
    assertArrayEquals(
        SigioVectors.frame("verdict-payload"),
        SigioFrame.verdict(TOKEN, SigioFrame.Verdict.GO_ON_WITH_PAYLOAD, PAYLOAD));
    assertArrayEquals(SigioVectors.frame("limit"), SigioFrame.limit(10_000, 20_000));
    assertArrayEquals(
        SigioVectors.frame("send4"),
        SigioFrame.send(
            9,
            new OutboundDatagram(
                address("192.0.2.1"),
                40_000,
                address("198.51.100.7"),
                270,
                64,
                0xb8,
                0,
                0xffdf,
                PAYLOAD)));
    assertArrayEquals(
        SigioVectors.frame("send6"),
        SigioFrame.send(
            10,
            new OutboundDatagram(
                null, 0, address("2001:db8:1::2"), 270, 255, 0x20, 0xabcde, -1, PAYLOAD)));
  }

  @Test
  void aFrameThatEndsEarlyIsRefusedAtEveryLength() throws Exception {
    for (String name : FROM_SIGIO) {
      byte[] frame = SigioVectors.frame(name);
      boolean payload = name.startsWith("packet") || name.equals("icmp4");
      int shortest = frame.length - (payload ? PAYLOAD.length : 0);
      for (int length = 0; length < frame.length; length++) {
        byte[] cut = Arrays.copyOf(frame, length);
        if (length < shortest) {
          assertThrows(SigioFrame.FormatException.class, () -> read(cut), name + " " + length);
        } else {
          read(cut); // a shorter payload is a payload
        }
      }
    }
  }

  @Test
  void aFamilyThatIsNoneIsRefused() throws Exception {
    byte[] frame = SigioVectors.frame("packet4");
    frame[4 + 12] = 5;
    assertThrows(SigioFrame.FormatException.class, () -> read(frame));
  }

  @Test
  void otherTypesArePassedOver() throws Exception {
    assertEquals(new SigioFrame.Unknown(200), read(new byte[] {(byte) 200, 0, 0, 0, 1}));
    assertInstanceOf(SigioFrame.Unknown.class, read("send4"));
  }

  @Test
  void noiseIsAFrameOrIsRefused() throws Exception {
    Random random = new Random(270);
    int refused = 0;
    for (int i = 0; i < 200_000; i++) {
      byte[] frame = SigioVectors.frame(FROM_SIGIO.get(random.nextInt(FROM_SIGIO.size())));
      for (int n = random.nextInt(8); n >= 0; n--) {
        frame[random.nextInt(frame.length)] = (byte) random.nextInt();
      }
      try {
        read(Arrays.copyOf(frame, random.nextInt(frame.length + 1)));
      } catch (SigioFrame.FormatException e) {
        refused++;
      }
    }
    assertTrue(refused > 1000, "refused " + refused);
  }
}
