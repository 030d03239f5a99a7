// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.netserv.gist.conformance.Bytes.message;
import static org.netserv.gist.conformance.Bytes.object;

import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.netserv.gist.GistCounters.Counter;

/**
 * Tests a whole node against noise and damaged messages, seeded. No exception escapes, and no state
 * stays.
 */
class NodeFuzzTest {
  private static final int ROUNDS = 20_000;

  /** Bytes by which an answer may be longer than its message (RFC 5971 section 8.4). */
  private static final int GROWTH = 160;

  private static final List<String> MESSAGES =
      List.of(
          Peer.QUERY,
          Peer.QUERY_ASSOCIATION,
          message(Peer.QUERY_HEADER, Peer.MRI, Peer.SID, Peer.WEST, Peer.QUERY_COOKIE, Peer.DATA),
          Peer.response("a1a2a3a4a5a6a7a8"),
          Peer.responseWithOffer("a1a2a3a4a5a6a7a8"),
          Peer.confirm("b1b2b3b4b5b6b7b8b9babbbc"),
          Peer.data("0a0b0c0d"),
          Peer.associationData("0a0b0c0d"),
          Peer.error("02 0005 00", "01200016 7fc60380"),
          message("01 20 7fc6 83 00", Peer.MRI, Peer.SID, Peer.WEST, Peer.DATA),
          message("01 20 0000 05 c0", object("000a", "11223344")),
          message(
              Peer.CONFIRM_HEADER,
              Peer.MRI,
              Peer.SID,
              Peer.WEST,
              Peer.RESPONDER_COOKIE,
              Peer.PROPOSAL,
              Peer.HOLD));

  @Test
  void randomDatagrams() {
    Bench bench = quiet();
    int timers = bench.clock.pending();
    Random random = new Random(11);
    for (int i = 0; i < ROUNDS; i++) {
      byte[] noise = new byte[random.nextInt(300)];
      random.nextBytes(noise);
      if (noise.length >= 8 && random.nextBoolean()) { // a header that is nearly right
        noise[0] = 1;
        noise[2] = 0;
        noise[3] = (byte) ((noise.length - 8) / 4);
        noise[4] = 0x7f;
        noise[5] = (byte) 0xc6;
        noise[6] = (byte) (random.nextInt(8) | (random.nextBoolean() ? 0x80 : 0));
      }
      deliver(bench, random, Bytes.hex(noise));
    }
    assertNothingLeft(bench, timers);
  }

  @Test
  void damagedDatagrams() {
    Bench bench = quiet();
    int timers = bench.clock.pending();
    Random random = new Random(12);
    for (int i = 0; i < ROUNDS; i++) {
      deliver(bench, random, damaged(random));
    }
    assertNothingLeft(bench, timers);
  }

  @Test
  void everyTruncationOfEveryMessage() {
    Bench bench = quiet();
    int timers = bench.clock.pending();
    Random random = new Random(13);
    for (String whole : MESSAGES) {
      for (int cut = 0; cut < whole.length(); cut += 2) {
        deliver(bench, random, whole.substring(0, cut));
        if (cut >= 16 && cut % 8 == 0) { // the length field agrees
          String words = String.format("%04x", (cut - 16) / 8);
          deliver(bench, random, whole.substring(0, 4) + words + whole.substring(8, cut));
        }
      }
    }
    assertNothingLeft(bench, timers);
  }

  @Test
  void damagedMessagesByAnAssociation() {
    Random random = new Random(14);
    Bench bench = quiet();
    Wires.Wire wire = Setup.responder(bench);
    int closed = 0;
    for (int i = 0; i < ROUNDS; i++) {
      if (wire.closed || i % 500 == 499) {
        closed += wire.closed ? 1 : 0;
        bench = quiet();
        wire = Setup.responder(bench);
      }
      String message = framed(damaged(random));
      int before = wire.sent.size();
      wire.receive(message);
      bench.clock.advance(0);
      assertTrue(wire.sent.size() <= before + 1, () -> "one answer at most: " + message);
      for (byte[] answer : wire.sent.subList(before, wire.sent.size())) {
        assertTrue(answer.length <= message.length() / 2 + GROWTH, message);
      }
      bench.sent.clear();
      bench.verdicts.clear();
    }
    assertTrue(closed < ROUNDS / 2, closed + " associations closed");
  }

  @Test
  void stateSurvivesIt() {
    Random random = new Random(15);
    Bench bench = quiet();
    HandshakeTest.responder(bench);
    for (int i = 0; i < ROUNDS; i++) {
      String message = damaged(random);
      if (!message.startsWith("04", 12)) { // an Error about this session may rightly end it
        deliver(bench, random, message);
      }
    }
    bench.app.received.clear();
    bench.direct("10.0.1.7", "10.0.1.1", Peer.data("0a0b0c0e"));
    assertEquals(List.of("0a0b0c0e"), bench.app.payloads());
    assertEquals(1, bench.counters.get(Counter.STATE_CREATED));
  }

  /** Returns a bench without limits that could hide a fault. */
  private static Bench quiet() {
    Tuning tuning = new Tuning();
    tuning.interceptionRate = Integer.MAX_VALUE;
    tuning.rate = 1_000_000;
    tuning.rateBurst = 1_000_000;
    return new Bench(tuning);
  }

  private static void deliver(Bench bench, Random random, String message) {
    String payload = Bytes.MAGIC + message;
    int verdicts = bench.verdicts.size();
    boolean intercepted = random.nextBoolean();
    if (intercepted) {
      boolean ours = random.nextInt(4) == 0;
      bench.intercept(
          random.nextBoolean() ? "10.0.0.9" : "10.0.1.7",
          ours ? "10.0.1.1" : "10.0.9.9",
          1 + random.nextInt(255),
          random.nextBoolean() ? Bench.ROUTER_ALERT : -1,
          1,
          payload);
    } else {
      bench.direct("10.0.1.7", "10.0.1.1", message);
    }
    assertEquals(verdicts + (intercepted ? 1 : 0), bench.verdicts.size(), message);
    assertTrue(bench.sent.size() <= 1, () -> "one answer at most: " + message);
    bench.sent.forEach(
        answer -> {
          Seen.datagram(answer.payload()); // is well-formed
          assertTrue(answer.payload().length <= payload.length() / 2 + GROWTH, message);
        });
    bench.sent.clear();
    bench.verdicts.clear();
    bench.app.queries.clear();
  }

  private static void assertNothingLeft(Bench bench, int timers) {
    assertEquals(0, bench.counters.get(Counter.STATE_CREATED));
    assertEquals(List.of(), bench.app.notes);
    assertEquals(timers, bench.clock.pending());
    HandshakeTest.responder(bench); // it still works
  }

  /** Returns one of the messages with a few bytes changed, taken out or repeated. */
  private static String damaged(Random random) {
    byte[] bytes = Bytes.of(MESSAGES.get(random.nextInt(MESSAGES.size())));
    for (int i = random.nextInt(4); i >= 0; i--) {
      int at = random.nextInt(bytes.length);
      bytes[at] = random.nextBoolean() ? (byte) random.nextInt() : (byte) (bytes[at] ^ 1);
    }
    String hex = HexFormat.of().formatHex(bytes);
    int word = 16 + 8 * random.nextInt(Math.max(1, (hex.length() - 16) / 8));
    return switch (random.nextInt(6)) {
      case 0 -> hex.substring(0, word) + hex.substring(Math.min(hex.length(), word + 8));
      case 1 -> framed(hex.substring(0, word) + hex.substring(Math.min(hex.length(), word + 8)));
      case 2 -> framed(hex + hex.substring(word));
      default -> hex;
    };
  }

  /** Returns a message with the length that its bytes have, as a connection delivers it. */
  private static String framed(String hex) {
    String whole = hex.substring(0, 16 + (hex.length() - 16) / 8 * 8);
    return whole.substring(0, 4)
        + String.format("%04x", (whole.length() - 16) / 8)
        + whole.substring(8);
  }
}
