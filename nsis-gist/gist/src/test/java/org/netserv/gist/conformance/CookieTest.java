// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.netserv.gist.GistCounters.Counter;

/** The responder's cookie costs nothing and cannot be used elsewhere (RFC 5971 section 8.5). */
class CookieTest {
  @Test
  void queriesLeaveNoState() {
    Tuning tuning = new Tuning();
    tuning.interceptionRate = Integer.MAX_VALUE;
    tuning.rate = Integer.MAX_VALUE;
    tuning.rateBurst = Integer.MAX_VALUE;
    Bench bench = new Bench(tuning);
    bench.query(Peer.QUERY);
    bench.take();
    int timers = bench.clock.pending();
    Random random = new Random(5);
    for (int i = 0; i < 100_000; i++) {
      String source = String.format("0a%02x%04x", random.nextInt(256), random.nextInt(65_536));
      bench.query(Peer.QUERY.replace("0a000107", source));
      bench.app.queries.clear();
      bench.verdicts.clear();
      bench.sent.clear();
    }
    assertEquals(timers, bench.clock.pending());
    assertEquals(0, bench.counters.get(Counter.STATE_CREATED));
    HandshakeTest.responder(bench); // and an honest one gets through
    assertEquals(1, bench.counters.get(Counter.STATE_CREATED));
  }

  @Test
  void aCookieIsBoundToItsState() {
    Bench bench = new Bench();
    bench.query(Peer.QUERY);
    String confirm = Peer.confirm(bench.one().object(Seen.RESPONDER_COOKIE));
    for (String wrong :
        List.of(
            confirm.replace("0a000909", "0a00090a"), // MRI
            confirm.replace(Peer.SID, Peer.OTHER_SID),
            confirm.replace("aabbccdd", "aabbccde"), // peer identity
            confirm.replace("0a000107", "0a000108"))) { // its address
      bench.direct("10.0.1.7", "10.0.1.1", wrong);
      assertEquals(0, bench.counters.get(Counter.STATE_CREATED), wrong);
    }
    App second = new App(0x7fc7, 0xffe0);
    bench.node.register(second);
    bench.direct("10.0.1.7", "10.0.1.1", confirm.replace("7fc6", "7fc7"));
    assertEquals(0, bench.counters.get(Counter.STATE_CREATED), "NSLPID");
    bench.direct("10.0.1.7", "10.0.1.1", confirm);
    assertEquals(1, bench.counters.get(Counter.STATE_CREATED), "unchanged it is right");
  }

  @Test
  void everyBitOfACookieCounts() {
    Bench bench = new Bench();
    bench.query(Peer.QUERY);
    byte[] cookie = Bytes.of(bench.one().object(Seen.RESPONDER_COOKIE));
    for (int bit = 0; bit < cookie.length * 8; bit++) {
      byte[] guess = cookie.clone();
      guess[bit / 8] ^= (byte) (1 << bit % 8);
      bench.direct("10.0.1.7", "10.0.1.1", Peer.confirm(Bytes.hex(guess)));
    }
    assertEquals(0, bench.counters.get(Counter.STATE_CREATED));
    assertEquals(cookie.length * 8L, bench.counters.get(Counter.DROPPED_BAD_COOKIE));
  }

  @Test
  void aForgedConfirmLeavesNothing() {
    Bench bench = new Bench();
    int timers = bench.clock.pending();
    bench.direct("10.0.1.7", "10.0.1.1", Peer.confirm("b1b2b3b4b5b6b7b8"));
    for (Seen answer : bench.take()) {
      assertTrue(!answer.error().equals("2:10/4"), "backscatter is off");
    }
    assertEquals(1, bench.counters.get(Counter.DROPPED_BAD_COOKIE));
    assertEquals(0, bench.counters.get(Counter.STATE_CREATED));
    assertEquals(timers, bench.clock.pending());
  }

  @Test
  void withoutACookieThereIsNoState() {
    Bench bench = new Bench();
    bench.direct(
        "10.0.1.7", "10.0.1.1", Bytes.message(Peer.CONFIRM_HEADER, Peer.MRI, Peer.SID, Peer.WEST));
    assertEquals("2:5/0", bench.one().error());
    assertEquals(0, bench.counters.get(Counter.STATE_CREATED));
  }

  @Test
  void theSecretRolls() {
    Tuning tuning = new Tuning();
    tuning.cookieLifetime = 5000;
    for (int generations = 0; generations < 3; generations++) {
      Bench bench = new Bench(tuning);
      bench.query(Peer.QUERY);
      String confirm = Peer.confirm(bench.one().object(Seen.RESPONDER_COOKIE));
      for (int i = 0; i < generations; i++) {
        bench.clock.advance(tuning.cookieLifetime);
        bench.query(Peer.QUERY);
      }
      bench.direct("10.0.1.7", "10.0.1.1", confirm);
      int expected = generations < 2 ? 1 : 0; // the former secret still counts
      assertEquals(expected, bench.counters.get(Counter.STATE_CREATED), "after " + generations);
    }
  }

  @Test
  void aCookieAges() {
    Tuning tuning = new Tuning();
    Bench bench = new Bench(tuning);
    bench.query(Peer.QUERY);
    String confirm = Peer.confirm(bench.one().object(Seen.RESPONDER_COOKIE));
    bench.clock.advance(tuning.cookieLifetime + 1);
    bench.direct("10.0.1.7", "10.0.1.1", confirm);
    assertEquals(0, bench.counters.get(Counter.STATE_CREATED));
  }

  @Test
  void aReplayedConfirmMakesNoNewStateLater() {
    Bench bench = new Bench();
    String confirm = HandshakeTest.responder(bench);
    bench.clock.advance(200_000);
    assertEquals(1, bench.counters.get(Counter.STATE_EXPIRED));
    bench.direct("10.0.1.7", "10.0.1.1", confirm);
    assertEquals(1, bench.counters.get(Counter.STATE_CREATED));
  }
}
