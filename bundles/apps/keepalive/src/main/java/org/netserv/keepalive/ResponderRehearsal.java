// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.netserv.packet.Decision;
import org.netserv.packet.Packet;
import org.netserv.packet.Packets;
import org.netserv.packet.Tally;
import org.netserv.sip.SipError;

/**
 * Runs each path of a responder of its own, so that the code is loaded before the first real packet
 * comes. Nothing it counts or remembers is seen outside.
 */
final class ResponderRehearsal {
  private static final String HEADERS =
      """
      Via: SIP/2.0/UDP 10.0.0.2:5060;branch=z9hG4bK-1;rport
      From: <sip:a@192.0.2.1>;tag=1
      To: <sip:192.0.2.1>
      Call-ID: warm-up@10.0.0.2
      Max-Forwards: 70
      """;
  private static final byte[] NOTIFY =
      request("NOTIFY", HEADERS + "CSeq: 1 NOTIFY\nEvent: keep-alive\nContent-Length: 0\n");
  private static final byte[] OPTIONS = request("OPTIONS", HEADERS + "CSeq: 1 OPTIONS\nl: 0\n");
  private static final byte[] STUN = {
    0, 1, 0, 0, 0x21, 0x12, (byte) 0xa4, 0x42, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
  };
  private static final byte[] PING = {0, 0, 0, 0};

  private final Responder responder =
      new Responder(
          ResponderSettings.of(
              Map.of(ResponderSettings.PASS_EVERY, "3", ResponderSettings.MAX_AGENTS, "8")),
          new Tally<>(Why.class),
          new Tally<>(SipError.class));

  private static byte[] request(String method, String headers) {
    String text = method + " sip:192.0.2.1 SIP/2.0\n" + headers + "\n";
    return text.replace("\n", "\r\n").getBytes(StandardCharsets.US_ASCII);
  }

  /** Runs all forms over the family of the packet given. Each is another agent's, so it fits. */
  void run(Packet packet, Decision decision) {
    int port = 5060;
    for (byte[] payload : new byte[][] {NOTIFY, OPTIONS, STUN, PING}) {
      Packet form =
          packet.family() == 6
              ? Packets.udp6("2001:db8::2", port, "2001:db8::1", 5060, payload)
              : Packets.udp4("192.0.2.2", port, "192.0.2.1", 5060, payload);
      responder.process(form, decision);
      port++;
    }
  }
}
