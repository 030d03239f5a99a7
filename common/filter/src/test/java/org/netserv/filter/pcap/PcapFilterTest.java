// SPDX-License-Identifier: Apache-2.0
package org.netserv.filter.pcap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.values.BadValueException;

/** Compares the filter with libpcap, by the program that tcpdump makes of the same expression. */
class PcapFilterTest {
  private static final int PACKETS = 4000;
  private static final int RAW_IP = 101;

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "udp",
        "tcp or sctp",
        "icmp",
        "icmp6",
        "ip",
        "ip6 and not udp",
        "host 192.0.2.1",
        "src host 192.0.2.1 and dst 192.0.2.2",
        "src or dst 192.0.2.2",
        "src and dst host 192.0.2.1",
        "net 192.0.2.0/30",
        "dst net 0.0.0.0/0",
        "ip6 host 2001:db8::1",
        "src net 2001:db8::/49 or dst net 192.0.2.0/31",
        "port 5060",
        "udp port 5060",
        "tcp src port 80 or 443",
        "not port 5060 or 80",
        "udp dst portrange 5060-5061",
        "sctp portrange 80-443",
        "src or dst port 53",
        "proto 17",
        "ip proto 6 or ip6 proto 58",
        "len > 60",
        "len <= 48 and udp",
        "ip[0] & 0xf != 5",
        "ip[8] < 2 || ip6[7] < 2",
        "ip[6:2] & 0x1fff = 0 and ip",
        "ip6[0:4] & 0x0ff00000 == 0x02e00000",
        "not (udp and (port 53 or port 5060)) and (ip or ip6)",
        "udp or tcp and port 80",
        "!udp && !tcp"
      })
  void bothFamiliesAgree(String expression) throws Exception {
    agree(expression, false);
  }

  /**
   * Compares IPv4 only, because libpcap reads no bytes behind an IPv6 header, and this filter does.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "tcp[13] & (tcp-syn|tcp-ack) = tcp-syn",
        "tcp[13] & 2 != 0 and tcp dst port 80",
        "udp[8:4] = 0x52454749",
        "udp[4:2] >= 20",
        "icmp[0] = 8 or icmp[0] = 0",
        "sctp[0:2] < 1024"
      })
  void ipv4Agrees(String expression) throws Exception {
    agree(expression, true);
  }

  private void agree(String expression, boolean ipv4) throws Exception {
    PcapFilter filter = PcapFilter.parse(expression);
    Machine theirs = new Machine(tcpdump(expression));
    Random random = new Random(expression.hashCode());
    int matched = 0;
    for (int i = 0; i < PACKETS; i++) {
      byte[] packet = RandomPacket.next(random, ipv4);
      boolean expected = theirs.matches(packet);
      matched += expected ? 1 : 0;
      int family = packet[0] >> 4 & 0xf;
      boolean found =
          filter.bytecode(family).map(code -> new Machine(code).matches(packet)).orElse(false);
      assertEquals(expected, found, () -> expression + " of " + hex(packet));
    }
    assertTrue(matched > PACKETS / 200, () -> "hardly ever tried: " + expression);
  }

  private static String hex(byte[] bytes) {
    return java.util.HexFormat.of().formatHex(bytes);
  }

  /** Returns the program of tcpdump's compiler, for packets that begin with the IP header. */
  private String tcpdump(String expression) throws Exception {
    Path empty = directory.resolve("empty.pcap");
    ByteBuffer header = ByteBuffer.allocate(24).order(ByteOrder.LITTLE_ENDIAN);
    header.putInt(0xa1b2c3d4).putShort((short) 2).putShort((short) 4).putLong(0);
    header.putInt(65535).putInt(RAW_IP);
    Files.write(empty, header.array());
    Process process =
        new ProcessBuilder("tcpdump", "-r", empty.toString(), "-ddd", expression)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    assertEquals(0, process.waitFor(), () -> "tcpdump does not know " + expression);
    return text.substring(text.indexOf('\n') + 1); // behind their number
  }

  @Test
  void bytesBehindAnIpv6HeaderAreIndexed() throws Exception {
    byte[] syn = new byte[60];
    syn[0] = 0x60;
    syn[6] = 6;
    syn[53] = 0x02;
    Machine filter =
        new Machine(PcapFilter.parse("tcp[13] & tcp-syn != 0").bytecode(6).orElseThrow());
    assertTrue(filter.matches(syn));
    syn[53] = 0x10;
    assertFalse(filter.matches(syn));
  }

  @Test
  void spacesMakeNoDifference() throws Exception {
    assertEquals(
        "udp [ 8:4 ] = 0x52454749 and ( port 5060 )",
        PcapFilter.parse(" udp[8:4]=0x52454749  and(port 5060)").toString());
    String once = PcapFilter.parse("tcp[13]&2!=0").toString();
    assertEquals(once, PcapFilter.parse(once).toString());
  }

  @Test
  void aFamilyThatCannotMatchHasNoProgram() throws Exception {
    assertTrue(PcapFilter.parse("host 192.0.2.1").bytecode(6).isEmpty());
    assertTrue(PcapFilter.parse("icmp6 or host 2001:db8::1").bytecode(4).isEmpty());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "'';empty",
        "udp and;at the end, word 3",
        "udp port;not a port",
        "port 70000;a port from 1 to 65535",
        "port 80-90;not a port: '80-90'",
        "host 192.0.2.0/24;not a host",
        "host example.net;not an IP address",
        "net 192.0.2.1/24;bits are set after the prefix length",
        "udp[8:3] = 1;an offset, or offset:1, :2 or :4, expected at '8:3'",
        "udp[99999] = 1;an offset",
        "udp[8] = 0x123456789;not a number",
        "udp[8] = 4294967296;more than 32 bits",
        "udp[8] ~ 1;not a word",
        "udp[8] 1;not a comparison: '1'",
        "icmp port 5;port or portrange of tcp, udp or sctp expected",
        "tcp host 192.0.2.1;port or portrange",
        "(udp;) expected at the end",
        "udp);and, or or the end expected at ')'",
        "ip and ip6;no packet of any family",
        "5060;a primitive expected at '5060', word 1",
        "vlan 5;a primitive expected at 'vlan'",
        "((((((((((((((((udp))))))))))))))));nested more than 16 times"
      })
  void aBadOneIsRefusedWithItsReason(String expression, String reason) {
    String found =
        assertThrows(BadValueException.class, () -> PcapFilter.parse(expression)).getMessage();
    assertTrue(found.contains(reason), found);
  }

  @Test
  void whatTheKernelWouldNotTakeIsRefused() {
    String many = "udp port 1" + " or 2".repeat(24);
    String found = assertThrows(BadValueException.class, () -> PcapFilter.parse(many)).getMessage();
    assertTrue(found.contains("the kernel takes 64"), found);
    String longer = "udp" + " or udp".repeat(40);
    assertThrows(BadValueException.class, () -> PcapFilter.parse(longer));
  }

  /** Checks that parsing throws only the checked exception, and that programs end. */
  @Test
  void anySequenceOfWordsIsReadOrRefused() {
    String[] words =
        ("udp tcp ip ip6 icmp icmp6 src dst host net port portrange proto and or not ( ) [ ] & | = !="
                + " < > 1 80 5-9 8:4 192.0.2.1 2001:db8::/32 len 0xff tcp-syn ! && || ?")
            .split(" ", -1);
    Random random = new Random(5);
    int read = 0;
    for (int i = 0; i < 100_000; i++) {
      StringBuilder text = new StringBuilder();
      for (int j = random.nextInt(9); j >= 0; j--) {
        text.append(words[random.nextInt(words.length)]).append(' ');
      }
      try {
        PcapFilter filter = PcapFilter.parse(text.toString());
        byte[] packet = RandomPacket.next(random, false);
        filter.bytecode(packet[0] >> 4 & 0xf).ifPresent(code -> new Machine(code).matches(packet));
        read++;
      } catch (BadValueException e) {
        assertFalse(e.getMessage().isEmpty());
      }
    }
    assertTrue(read > 1000, "only " + read + " of them could be read");
  }
}
