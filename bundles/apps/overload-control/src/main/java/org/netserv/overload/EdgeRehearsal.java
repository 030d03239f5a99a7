// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.netserv.module.ModuleProperties;
import org.netserv.overload.feedback.Feedback;
import org.netserv.overload.feedback.FeedbackKind;
import org.netserv.packet.Decision;
import org.netserv.packet.Packet;
import org.netserv.packet.Packets;
import org.netserv.packet.Tally;
import org.netserv.sip.SipError;

/**
 * Runs each path of an edge of its own, so that the code is loaded before the first real packet
 * comes. Nothing it counts or remembers is seen outside.
 */
final class EdgeRehearsal {
  private static final String HEADERS =
      """
      Via: SIP/2.0/UDP 192.0.2.2:5060;branch=z9hG4bK-%d;rport
      From: <sip:a@192.0.2.1>;tag=1
      To: <sip:b@192.0.2.1>
      Call-ID: warm-up@10.0.0.2
      CSeq: 1 %s
      Resource-Priority: ets.0
      Content-Length: 0

      """;
  private static final String[] METHODS = {"INVITE", "INVITE", "ACK", "CANCEL", "OPTIONS"};
  private static final int SECOND = 1_000_000_000;

  private final AtomicReference<Feedback> inbox = new AtomicReference<>();
  private final OverloadSettings settings =
      OverloadSettings.of(new ModuleProperties(Map.of(OverloadSettings.MAX_TRANSACTIONS, "64")));
  private final SplittableRandom random = new SplittableRandom(1);
  private final Edge edge =
      new Edge(
          settings,
          this::nanos,
          random,
          new Arbiter(settings, random, inbox, new Demand(), new Demand()),
          new Tally<>(Why.class),
          new Tally<>(SipError.class));
  private long now;
  private int round;

  private long nanos() {
    now += SECOND / 100;
    return now;
  }

  /** Runs requests and a response over the family of the packet given. */
  void run(Packet packet, Decision decision) {
    round++;
    boolean v6 = packet.family() == 6;
    inbox.set(
        new Feedback(
            round % 2 == 0 ? FeedbackKind.LOSS : FeedbackKind.RATE,
            round % 4 < 2 ? 0 : 50,
            500,
            round));
    for (String method : METHODS) {
      edge.process(to(method + " sip:b@192.0.2.1 SIP/2.0\n", method, v6), decision);
    }
    edge.process(from("SIP/2.0 200 OK\n", v6), decision);
  }

  private byte[] text(String first, String method) {
    return (first + HEADERS.formatted(round, method))
        .replace("\n", "\r\n")
        .getBytes(StandardCharsets.US_ASCII);
  }

  private Packet to(String first, String method, boolean v6) {
    byte[] payload = text(first, method);
    return v6
        ? Packets.udp6("2001:db8::2", 5060, "2001:db8::1", 5060, payload)
        : Packets.udp4("192.0.2.2", 5060, "192.0.2.1", 5060, payload);
  }

  private Packet from(String first, boolean v6) {
    byte[] payload = text(first, "INVITE");
    return v6
        ? Packets.udp6("2001:db8::1", 5060, "2001:db8::2", 5060, payload)
        : Packets.udp4("192.0.2.1", 5060, "192.0.2.2", 5060, payload);
  }
}
