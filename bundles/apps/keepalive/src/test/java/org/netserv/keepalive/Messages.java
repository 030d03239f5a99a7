// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.netserv.packet.Decision;
import org.netserv.packet.Packet;
import org.netserv.packet.Packets;
import org.netserv.packet.Verdict;

/** Keep-alives and the packets they travel in, from 203.0.113.9:40000 to 192.0.2.1:5060. */
final class Messages {
  static final String CLIENT = "203.0.113.9";
  static final String SERVER = "192.0.2.1";
  static final int PORT = 40000;

  private Messages() {}

  static byte[] bytes(String text) {
    return text.replace("\r\n", "\n").replace("\n", "\r\n").getBytes(StandardCharsets.ISO_8859_1);
  }

  static String notify(int n) {
    return """
    NOTIFY sip:example.com SIP/2.0
    Via: SIP/2.0/UDP 10.0.0.7:5060;branch=z9hG4bK-%d;rport
    From: "Agent" <sip:7@example.com>;tag=a7
    To: <sip:example.com>
    Call-ID: 7-%d@10.0.0.7
    CSeq: %d NOTIFY
    Max-Forwards: 70
    Event: keep-alive
    Content-Length: 0

    """
        .formatted(n, n, n);
  }

  static String options(String uri) {
    return """
    OPTIONS %s SIP/2.0
    Via: SIP/2.0/UDP 203.0.113.9:40000;branch=z9hG4bK-1
    From: <sip:7@example.com>;tag=a7
    To: <sip:example.com>
    Call-ID: 7@10.0.0.7
    CSeq: 7 OPTIONS
    Max-Forwards: 70
    Content-Length: 0

    """
        .formatted(uri);
  }

  static Packet packet(String message) {
    return packet(bytes(message));
  }

  static Packet packet(byte[] payload) {
    return Packets.udp4(CLIENT, PORT, SERVER, 5060, payload);
  }

  static Packet packet6(byte[] payload) {
    return Packets.udp6("2001:db8::9", PORT, "2001:db8::1", 5060, payload);
  }

  static byte[] payload(Packet packet) {
    byte[] bytes = new byte[packet.payloadLength()];
    packet.get(packet.payloadOffset(), bytes, 0, bytes.length);
    return bytes;
  }

  static String text(Packet packet) {
    return new String(payload(packet), StandardCharsets.ISO_8859_1);
  }

  static ByteBuffer buffer(Packet packet) {
    return ByteBuffer.wrap(payload(packet));
  }

  /** Shows the packet to the module. */
  static Decision decide(KeepAlive module, Packet packet) {
    return module.process(packet, Packets.decision(packet));
  }

  static Verdict verdict(KeepAlive module, Packet packet) {
    return decide(module, packet).verdict();
  }

  /** Checks the module's decision about the packet. */
  static void assertDecides(Verdict verdict, String why, KeepAlive module, Packet packet) {
    Decision decision = decide(module, packet);
    assertEquals(verdict, decision.verdict(), decision.reason());
    assertEquals(why, decision.reason());
  }

  static void assertAnswers(KeepAlive module, Packet packet) {
    Decision decision = decide(module, packet);
    assertEquals(Verdict.CHANGED, decision.verdict(), decision.reason());
  }

  /** A module with these properties; pass-every is 0 unless it is among them. */
  static KeepAlive module(String... pairs) {
    Map<String, Object> properties = new HashMap<>(Map.of("pass-every", "0"));
    for (int i = 0; i < pairs.length; i += 2) {
      properties.put(pairs[i], pairs[i + 1]);
    }
    return new KeepAlive(properties);
  }
}
