// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.netserv.packet.Packet;
import org.netserv.packet.Packets;

class PacketFilterTest {
  private static final byte[] NONE = new byte[0];

  private static PacketFilter four(String source, String destination, String ports) {
    return PacketFilter.of(4, 0, source, destination, null, ports, 0, false);
  }

  private static Packet udp(String source, String destination, int port) {
    return Packets.udp4(source, 9, destination, port, NONE);
  }

  @Test
  void prefixesOfEveryLength() {
    String address = "203.0.113.170"; // 0xcb0071aa
    for (int length = 0; length <= 32; length++) {
      PacketFilter filter = four(address + "/" + length, null, null);
      assertTrue(filter.matches(udp(address, "192.0.2.1", 1)));
      if (length > 0) {
        int other = 0xcb0071aa ^ (1 << (32 - length));
        Packet packet = udp(address, "192.0.2.1", 1);
        packet.setSource4(other);
        assertFalse(filter.matches(packet), "length " + length);
      }
    }
    for (int length = 1; length <= 128; length++) {
      PacketFilter filter =
          PacketFilter.of(6, 0, null, "2001:db8::5/" + length, null, null, 0, false);
      Packet packet = Packets.udp6("::1", 1, "2001:db8::5", 2, NONE);
      assertTrue(filter.matches(packet));
      long high = packet.destinationHigh() ^ (length <= 64 ? 1L << (64 - length) : 0);
      long low = packet.destinationLow() ^ (length > 64 ? 1L << (128 - length) : 0);
      packet.setDestination6(high, low);
      assertFalse(filter.matches(packet), "length " + length);
    }
  }

  @Test
  void portsProtocolFamilyAndSyn() {
    PacketFilter filter = four(null, null, "5060-5061");
    assertTrue(filter.matches(udp("192.0.2.1", "192.0.2.2", 5061)));
    assertFalse(filter.matches(udp("192.0.2.1", "192.0.2.2", 5062)));
    assertFalse(filter.matches(Packets.raw4("192.0.2.1", "192.0.2.2", 47, new byte[9])));
    assertFalse(filter.matches(Packets.udp6("::1", 1, "::2", 5060, NONE)));
    PacketFilter syn = PacketFilter.of(4, 6, null, null, "80", null, 0, true);
    assertTrue(syn.matches(Packets.tcp4("192.0.2.1", 80, "192.0.2.2", 1, 2, NONE)));
    assertFalse(syn.matches(Packets.tcp4("192.0.2.1", 80, "192.0.2.2", 1, 18, NONE)));
    assertFalse(syn.matches(Packets.tcp4("192.0.2.1", 81, "192.0.2.2", 1, 2, NONE)));
  }

  /**
   * udp[8:4] = 0x52454749, as a SETUP brings it for IPv4; no packet is long enough for index 60.
   */
  @Test
  void aProgramHasTheLastWord() {
    String regi =
        "48:0:0:9,21:0:6:17,40:0:0:6,69:4:0:8191,177:0:0:0,64:0:0:8,21:0:1:1380271945,6:0:0:65535,6:0:0:0";
    PacketFilter filter = four(null, null, "5060").with(regi);
    byte[] register = "REGISTER".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    assertTrue(filter.matches(Packets.udp4("192.0.2.1", 1, "192.0.2.2", 5060, register)));
    assertFalse(filter.matches(Packets.udp4("192.0.2.1", 1, "192.0.2.2", 5061, register)));
    assertFalse(filter.matches(Packets.udp4("192.0.2.1", 1, "192.0.2.2", 5060, new byte[8])));
    assertFalse(filter.matches(Packets.udp4("192.0.2.1", 1, "192.0.2.2", 5060, new byte[3])));
    assertFalse(filter.matches(Packets.raw4("192.0.2.1", "192.0.2.2", 47, register)));
  }

  @Test
  void comparisonsAreUnsigned() {
    Packet packet = udp("192.0.2.1", "192.0.2.2", 5060);
    assertTrue(
        four(null, null, null).with("32:0:0:12,37:0:1:2147483647,6:0:0:1,6:0:0:0").matches(packet));
    assertFalse(
        four(null, null, null).with("32:0:0:12,53:0:1:4294967295,6:0:0:1,6:0:0:0").matches(packet));
    assertTrue(
        four(null, null, null)
            .with("128:0:0:0,84:0:0:65535,37:1:0:1500,6:0:0:1,6:0:0:0")
            .matches(packet));
  }

  @Test
  void aBadProgramIsRefused() {
    String[] bad = {
      "",
      "6:0:0",
      "6:0:0:x",
      "6:0:0:4294967296",
      "21:0:1:17,6:0:0:0",
      "48:0:0:9",
      "4:0:0:1,6:0:0:0",
      "6:-1:0:0",
    };
    for (String program : bad) {
      refused("match", () -> four(null, null, null).with(program));
    }
    refused("match", () -> four(null, null, null).with("6:0:0:0,".repeat(64) + "6:0:0:0"));
  }

  @Test
  void refusalsNameTheField() {
    refused("family", () -> PacketFilter.of(5, 0, null, null, null, null, 0, false));
    refused("protocol", () -> PacketFilter.of(4, 256, null, null, null, null, 0, false));
    refused("sample", () -> PacketFilter.of(4, 0, null, null, null, null, -1, false));
    refused("source:", () -> four("192.0.2.0/33", null, null));
    refused("source:", () -> four("example.com", null, null));
    refused("source:", () -> four("::1", null, null));
    refused("destination:", () -> four(null, "192.0.2.0/", null));
    refused("destinationPorts", () -> four(null, null, "9-8"));
    refused("destinationPorts", () -> four(null, null, "65536"));
    refused("destinationPorts", () -> four(null, null, "-1"));
  }

  private static void refused(String field, Runnable make) {
    String text = assertThrows(IllegalArgumentException.class, make::run).getMessage();
    assertTrue(text.startsWith(field), text);
  }

  @Test
  void warmUpPacketsMatchTheirFilter() {
    PacketFilter[] filters = {
      four(null, "192.0.2.0/24", "5060-5070"),
      PacketFilter.of(6, 6, "2001:db8::/32", null, "80", null, 0, true),
      PacketFilter.of(6, 58, null, null, null, null, 7, false),
    };
    int[] seen = {0};
    WarmUpProbe probe =
        new WarmUpProbe(
            packet -> {
              PacketFilter filter = filters[seen[0]++ / WarmUp.ROUNDS];
              assertTrue(filter.matches(packet));
              packet.swapEndpoints();
            });
    assertEquals(null, WarmUp.run(probe, filters));
    assertEquals(3 * WarmUp.ROUNDS, seen[0]);
  }
}
