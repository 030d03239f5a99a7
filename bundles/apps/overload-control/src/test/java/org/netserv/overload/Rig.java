// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
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
import org.netserv.packet.Verdict;
import org.netserv.sip.SipError;

/** An edge with a clock that the test moves, and messages of many clients. */
final class Rig {
  static final String SERVER = "192.0.2.10";
  static final String CLIENT = "198.51.100.2";

  final Tally<Why> tally = new Tally<>(Why.class);
  final Tally<SipError> errors = new Tally<>(SipError.class);
  final AtomicReference<Feedback> inbox = new AtomicReference<>();
  final Demand other = new Demand();
  final Edge edge;
  Packet last;
  Decision decision;
  private long micros = 1_000_000;
  private long sequence;

  /** Properties, each a name and a value. */
  static ModuleProperties properties(String... namesAndValues) {
    Map<String, String> map = new HashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      map.put(namesAndValues[i], namesAndValues[i + 1]);
    }
    return new ModuleProperties(map);
  }

  Rig(String... properties) {
    OverloadSettings settings = OverloadSettings.of(properties(properties));
    SplittableRandom random = new SplittableRandom(7339);
    Arbiter arbiter = new Arbiter(settings, random, inbox, new Demand(), other);
    edge = new Edge(settings, () -> micros * 1000, random, arbiter, tally, errors);
  }

  void sleep(double seconds) {
    micros += Math.round(seconds * 1e6);
  }

  void feedback(FeedbackKind kind, int value, int validity) {
    inbox.set(new Feedback(kind, value, validity, ++sequence));
  }

  /** A request in text; the branch names the transaction. */
  static String request(String method, String branch, String more) {
    String toTag = more.contains("in-dialog") ? ";tag=9" : "";
    return """
    %s sip:bob@example.com SIP/2.0
    Via: SIP/2.0/UDP 198.51.100.2:5060;branch=z9hG4bK%s
    From: <sip:alice@example.com>;tag=1
    To: <sip:bob@example.com>%s
    Call-ID: %s@198.51.100.2
    CSeq: 1 %s
    %sContent-Length: 0

    """
        .formatted(method, branch, toTag, branch, method, more.replace("in-dialog", ""));
  }

  /** The server's response to a request. */
  static String response(int status, String request) {
    return "SIP/2.0 " + status + " Text\n" + request.substring(request.indexOf('\n') + 1);
  }

  static byte[] bytes(String text) {
    return text.replace("\n", "\r\n").getBytes(StandardCharsets.ISO_8859_1);
  }

  Verdict send(String from, String text) {
    return decide(Packets.udp4(from, 5060, SERVER, 5060, bytes(text)));
  }

  Verdict send(String text) {
    return send(CLIENT, text);
  }

  Verdict reply(String text) {
    return decide(Packets.udp4(SERVER, 5060, CLIENT, 5060, bytes(text)));
  }

  Verdict decide(Packet packet) {
    last = packet;
    decision = edge.process(packet, Packets.decision(packet));
    return decision.verdict();
  }

  /** Returns the payload of the packet decided last. */
  String text() {
    ByteBuffer buffer = last.buffer();
    byte[] payload = new byte[last.payloadLength()];
    buffer.get(last.start() + last.payloadOffset(), payload);
    return new String(payload, StandardCharsets.ISO_8859_1).replace("\r\n", "\n");
  }

  long count(Why why) {
    return tally.get(why);
  }

  /** Sends a 503 and checks that the edge rejected it. */
  void assertRejected(Verdict verdict) {
    assertEquals(Verdict.CHANGED, verdict, decision.reason());
    assertEquals("SIP/2.0 503 Service Unavailable", text().lines().findFirst().orElseThrow());
  }
}
