// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.netserv.keepalive.Messages.module;
import static org.netserv.keepalive.Messages.options;
import static org.netserv.keepalive.Messages.packet;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.packet.Packet;
import org.netserv.packet.Packets;
import org.netserv.packet.Verdict;
import org.netserv.sip.SipError;
import org.netserv.sip.SipScanner;

class KeepAliveTest {
  private static final String NOTIFY = Messages.notify(1);

  private static StrictReply answered(KeepAlive module, Packet packet, String request) {
    Messages.assertAnswers(module, packet);
    String reply = Messages.text(packet);
    assertEquals(
        SipError.OK, new SipScanner().reset(Messages.buffer(packet), 0, packet.payloadLength()));
    return new StrictReply(request.replace("\n", "\r\n"), reply);
  }

  private static void passed(KeepAlive module, String request, Why why) {
    Packet packet = packet(request);
    byte[] before = packet.toBytes();
    Messages.assertDecides(Verdict.PASS, why.text(), module, packet);
    assertArrayEquals(before, packet.toBytes());
  }

  @Test
  void notifyIsAnsweredFromTheServersAddressToThePacketsSource() {
    Packet packet = packet(NOTIFY);
    packet.setTtl(3);
    StrictReply reply = answered(module(), packet, NOTIFY);
    assertEquals(
        "SIP/2.0/UDP 10.0.0.7:5060;branch=z9hG4bK-1;rport=40000;received=203.0.113.9",
        reply.topVia());
    assertEquals(0xc0000201, packet.source4());
    assertEquals(5060, packet.sourcePort());
    assertEquals(0xcb007109, packet.destination4());
    assertEquals(Messages.PORT, packet.destinationPort());
    assertEquals(64, packet.ttl());
    assertFalse(reply.has("allow"));
  }

  private static int offloaded(KeepAlive module, Packet packet) {
    return Messages.decide(module, packet).offloadSeconds();
  }

  private static Packet bytes(int... payload) {
    byte[] bytes = new byte[payload.length];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) payload[i];
    }
    return Packets.udp4(Messages.CLIENT, Messages.PORT, Messages.SERVER, 5060, bytes);
  }

  @Test
  void onlyFlowsThatAreNotSipGoPastTheModule() {
    Packet media = bytes(0x80, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 9, 9);
    Packet tcp =
        Packets.tcp4(Messages.CLIENT, Messages.PORT, Messages.SERVER, 5060, 2, new byte[0]);
    assertEquals(10, offloaded(module(), media));
    assertEquals(10, offloaded(module(), tcp));
    assertEquals(300, offloaded(new KeepAlive(Map.of("offload", "300")), media));
    assertEquals(0, offloaded(new KeepAlive(Map.of("offload", "0")), media));
    for (Packet agents :
        new Packet[] {
          packet(NOTIFY),
          packet(options("sip:192.0.2.1")),
          packet(NOTIFY.replace("NOTIFY", "INVITE")),
          packet(NOTIFY.replace("SIP/2.0", "SIP/9.9")),
          packet("hello"),
          bytes(0),
          bytes('\r', '\n', '\r', '\n'),
          bytes(),
        }) {
      assertEquals(0, offloaded(module(), agents), () -> Messages.text(agents));
    }
    assertThrows(IllegalArgumentException.class, () -> new KeepAlive(Map.of("offload", "301")));
  }

  @Test
  void replyHasRightLengthsAndChecksums() {
    Packet packet = packet(NOTIFY);
    Messages.verdict(module(), packet);
    byte[] bytes = packet.toBytes();
    byte[] again =
        Packets.udp4(
                Messages.SERVER, 5060, Messages.CLIENT, Messages.PORT, Messages.payload(packet))
            .toBytes();
    assertArrayEquals(again, bytes);
  }

  @Test
  void optionsToTheServerIsAnsweredWithItsCapabilities() {
    for (String uri :
        new String[] {"sip:192.0.2.1", "SIP:192.0.2.1:5060", "sip:192.0.2.1;transport=udp;lr"}) {
      StrictReply reply = answered(module(), packet(options(uri)), options(uri));
      assertTrue(reply.has("allow") && reply.has("accept") && reply.has("supported"));
      // sent-by is the source and nobody asked: nothing to fill in (RFC 3261, 18.2.1)
      assertEquals("SIP/2.0/UDP 203.0.113.9:40000;branch=z9hG4bK-1", reply.topVia());
    }
  }

  @Test
  void serverMayHaveNames() {
    KeepAlive module = module("server", "Sip.Example.com; 198.51.100.1 2001:db8::1", "allow", "");
    for (String host : new String[] {"sip.example.COM", "198.51.100.1", "[2001:DB8:0::1]"}) {
      String request = options("sip:" + host);
      assertFalse(answered(module, packet(request), request).has("allow"));
    }
    passed(module, options("sip:192.0.2.1"), Why.NOT_THE_SERVER);
    passed(module, options("sip:example.com"), Why.NOT_THE_SERVER);
  }

  @Test
  void overIpv6() {
    String request =
        options("sip:[2001:db8::1]").replace("203.0.113.9:40000", "[2001:db8::7]:40000;rport");
    Packet packet = Messages.packet6(Messages.bytes(request));
    StrictReply reply = answered(module(), packet, request);
    assertEquals(
        "SIP/2.0/UDP [2001:db8::7]:40000;rport=40000;branch=z9hG4bK-1;received=2001:db8::9",
        reply.topVia());
    assertEquals(9, packet.destinationLow());
    request = request.replace("db8::7]", "db8:0:0::9]").replace(";rport", "");
    reply = answered(module(), Messages.packet6(Messages.bytes(request)), request);
    assertEquals("SIP/2.0/UDP [2001:db8:0:0::9]:40000;branch=z9hG4bK-1", reply.topVia());
  }

  @Test
  void compactFormsFoldsAndManyViasAreCopied() {
    String request =
        """
        NOTIFY sip:example.com SIP/2.0
        v: SIP / 2.0 / UDP
          agent.example.com ; received=1.1.1.1 ; rport = 9 ; branch=z9hG4bKa , SIP/2.0/TCP b:5061
        f : "A \\" B"
         <sip:7@example.com>;tag=a7
        t: sip:example.com
        i: x@y
        cseq: 007
         NOTIFY
        o: keep-alive
        Via: SIP/2.0/UDP third.example.com;branch=z9hG4bKc
        l: 0

        """;
    StrictReply reply = answered(module(), packet(request), request);
    assertEquals(
        "SIP / 2.0 / UDP\r\n  agent.example.com ; received=203.0.113.9 ; rport=40000 ;"
            + " branch=z9hG4bKa",
        reply.topVia());
  }

  @Test
  void sameRequestGetsTheSameTagAndAnotherOneAnother() {
    String tag = answered(module(), packet(NOTIFY), NOTIFY).tag();
    assertEquals(tag, answered(module(), packet(NOTIFY), NOTIFY).tag());
    String other = NOTIFY.replace("tag=a7", "tag=a8");
    assertFalse(tag.equals(answered(module(), packet(other), other).tag()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "To: <sip:example.com>   | To: <sip:example.com>;tag=1 | IN_DIALOG",
        "Max-Forwards: 70        | Max-Forwards: 0             | MAX_FORWARDS",
        "Max-Forwards: 70        | Max-Forwards: 256           | MAX_FORWARDS",
        "Max-Forwards: 70        | Max-Forwards: x             | MAX_FORWARDS",
        "Max-Forwards: 70        | Require: x                  | REQUIRE",
        "Max-Forwards: 70        | Proxy-Require: x            | REQUIRE",
        "Max-Forwards: 70        | Route: <sip:example.com;lr> | ROUTE",
        "Max-Forwards: 70        | To: <sip:example.com>       | MISSING",
        "Max-Forwards: 70        | v: nonsense                 | VIA",
        "Max-Forwards: 70        | i: 2                        | MISSING",
        "Call-ID: 7-1@10.0.0.7   | Call-ID: a b                | CALL_ID",
        "Call-ID: 7-1@10.0.0.7   | X: y                        | MISSING",
        "CSeq: 1 NOTIFY          | CSeq: 1 OPTIONS             | CSEQ",
        "CSeq: 1 NOTIFY          | CSeq: 4294967296 NOTIFY     | CSEQ",
        "Event: keep-alive       | Event: keep-alive;id=1      | EVENT",
        "Event: keep-alive       | Event: Keep-Alive           | EVENT",
        "Event: keep-alive       | Event: presence             | EVENT",
        "Event: keep-alive       | X: keep-alive               | EVENT",
        "SIP/2.0/UDP             | SIP/2.0/TCP                 | VIA_TRANSPORT",
        ";rport                  | ;maddr=10.0.0.1             | VIA_MADDR",
        ";rport                  | ;keep                       | VIA_KEEP",
        ";rport                  | ;rport;rport                | VIA",
        "From: \"Agent\"         | From: \"Agent               | FROM_TO",
        "NOTIFY sip:example.com  | NOTIFY sips:example.com     | SCHEME",
        "NOTIFY sip:example.com  | NOTIFY sip:example.com;maddr=a | SCHEME",
        "NOTIFY sip:example.com  | NOTIFY sip:example.com?a=b  | SCHEME",
        "NOTIFY sip:example.com  | NOTIFY tel:1                | SCHEME",
        "NOTIFY sip:example.com  | REGISTER sip:example.com    | METHOD",
        "NOTIFY sip:example.com  | ACK sip:example.com         | METHOD",
        "NOTIFY sip:example.com  | CANCEL sip:example.com      | METHOD",
        "NOTIFY sip:example.com  | notify sip:example.com      | METHOD"
      })
  void whatTheServerMustSeePassesUnchanged(String from, String to, Why why) {
    String request = NOTIFY.replace(from.strip(), to.strip());
    assertFalse(request.equals(NOTIFY));
    passed(module(), request, why);
  }

  @Test
  void optionsForSomebodyElsePasses() {
    passed(module(), options("sip:7@192.0.2.1"), Why.USER);
    passed(module(), options("sip:192.0.2.2"), Why.NOT_THE_SERVER);
    passed(module(), options("sip:192.0.2.1:5061"), Why.NOT_THE_SERVER);
    passed(module(), options("sip:192.0.2.1;transport=tcp"), Why.SCHEME);
  }

  @Test
  void bodiesResponsesAndBareLfPass() {
    passed(module(), NOTIFY.replace("Length: 0", "Length: 1") + "x", Why.BODY);
    passed(
        module(), NOTIFY.replace("NOTIFY sip:example.com SIP/2.0", "SIP/2.0 200 OK"), Why.RESPONSE);
    Packet packet = packet(NOTIFY.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    Messages.assertDecides(Verdict.PASS, Why.BARE_LF.text(), module(), packet);
  }

  @Test
  void malformedPassesAndTheFaultIsNamedAndCounted() {
    KeepAlive module = module();
    Packet packet = packet(NOTIFY.replace("Length: 0", "Length: 9"));
    Messages.assertDecides(Verdict.PASS, SipError.CONTENT_LENGTH_BEYOND.text(), module, packet);
    assertEquals(Map.of("MALFORMED", 1L, "MALFORMED.CONTENT_LENGTH_BEYOND", 1L), module.counters());
  }

  @ParameterizedTest
  @ValueSource(strings = {"\r\n", "\r\n\r\n", "\0\0\0\0", "x", "\0"})
  void pingsAreSwallowed(String ping) {
    Packet packet = packet(ping.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    Messages.assertDecides(Verdict.DROP, Why.PING.text(), module(), packet);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\r\n\r", "\0\0\0", "\0\0\0\0\0", "\n\n", "xy"})
  void almostPingsPass(String ping) {
    Packet packet = packet(ping.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    assertEquals(Verdict.PASS, Messages.verdict(module(), packet));
  }

  @Test
  void otherPacketsPass() {
    byte[] notify = Messages.bytes(NOTIFY);
    KeepAlive module = module();
    Packet[] packets = {
      Packets.tcp4(Messages.CLIENT, 1, Messages.SERVER, 5060, 24, notify),
      Packets.raw4(Messages.CLIENT, Messages.SERVER, 47, notify),
      Packets.udp4(Messages.CLIENT, Messages.PORT, "224.0.1.75", 5060, notify),
      Packets.udp4(Messages.CLIENT, Messages.PORT, "255.255.255.255", 5060, notify),
      Packets.udp4("0.0.0.0", Messages.PORT, Messages.SERVER, 5060, notify),
      Packets.udp4(Messages.CLIENT, 0, Messages.SERVER, 5060, notify),
      Packets.udp6("2001:db8::9", 1, "ff02::1", 5060, notify),
    };
    for (Packet packet : packets) {
      byte[] before = packet.toBytes();
      assertEquals(Verdict.PASS, Messages.verdict(module, packet));
      assertArrayEquals(before, packet.toBytes());
    }
    Packet sample = Packets.sample(packet(notify));
    assertEquals(Verdict.PASS, Messages.verdict(module, sample));
    assertEquals(Map.of("NOT_UDP", 2L, "ADDRESS", 5L, "SAMPLE", 1L), module.counters());
  }

  @Test
  void aReplyThatWouldNotFitPasses() {
    Packet options = packet(options("sip:192.0.2.1").replace("7@10", "x".repeat(1080) + "@10"));
    byte[] before = options.toBytes();
    KeepAlive module = module("allow", "X".repeat(200));
    Messages.assertDecides(Verdict.PASS, Why.TOO_LONG.text(), module, options);
    assertArrayEquals(before, options.toBytes());
  }

  @Test
  void wrongPropertiesAreNamed() {
    for (String[] pair :
        new String[][] {
          {"pass-every", "-1"},
          {"pass-every", "x"},
          {"stun", "maybe"},
          {"max-agents", "1"},
          {"server", "a b/c"},
          {"allow", "IN(VITE"},
          {"silent-after", "1e3"},
          {"keep", "-1"},
          {"keep", "86401"},
          {"watch", "perhaps"},
          {"watch-interval", "0"},
          {"report-to", "example.com:5"},
          {"report-to", "192.0.2.1"},
          {"report-to", "192.0.2.1:65536"},
          {"report-to", "[192.0.2.1]:5"},
          {"report-to", "2001:db8::1:5"},
          {"tcp-listen", "65536"},
          {"tcp-server", "sip.example.com:5060"},
          {"tcp-streams", "0"},
          {"tcp-idle", "9"},
        }) {
      var thrown = assertThrows(IllegalArgumentException.class, () -> module(pair));
      assertTrue(thrown.getMessage().startsWith(pair[0] + ": "), thrown.getMessage());
    }
  }

  @Test
  void reportsNeedAKeyAndALongerSilence() {
    String[][] wrong = {
      {"report-to", "192.0.2.1:5"},
      {"report-to", "192.0.2.1:5", "report-key", "0102"},
      {"report-to", "192.0.2.1:5", "report-key", "x".repeat(32)},
      {"report-to", "192.0.2.1:5", "report-key", "00".repeat(65)},
    };
    for (String[] pairs : wrong) {
      var thrown = assertThrows(IllegalArgumentException.class, () -> module(pairs));
      assertTrue(thrown.getMessage().startsWith("report-key: "), thrown.getMessage());
    }
    var thrown =
        assertThrows(
            IllegalArgumentException.class,
            () -> module("report-interval", "60", "report-silent", "60"));
    assertTrue(thrown.getMessage().startsWith("report-silent: "), thrown.getMessage());
    module("report-to", "[2001:db8::1]:5", "report-key", "00".repeat(64));
    thrown = assertThrows(IllegalArgumentException.class, () -> module("tcp-listen", "5060"));
    assertTrue(thrown.getMessage().startsWith("tcp-server: "), thrown.getMessage());
  }

  /** RFC 6223: the value is the server's. The module knows it only from the properties. */
  @ParameterizedTest
  @ValueSource(strings = {";rport;keep", ";keep;rport", ";rport;keep=9;x"})
  void keepGetsTheServersInterval(String parameters) {
    String request = NOTIFY.replace(";rport", parameters);
    StrictReply reply = answered(module("keep", "30"), packet(request), request);
    assertTrue(reply.topVia().contains(";keep=30"), reply.topVia());
    assertFalse(reply.topVia().contains("keep=9"), reply.topVia());
    assertFalse(answered(module("keep", "30"), packet(NOTIFY), NOTIFY).topVia().contains("keep"));
    passed(module(), request, Why.VIA_KEEP);
  }
}
