// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.netserv.gist.conformance.Bench.address;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.GistSettings;
import org.netserv.gist.NetworkNotification;
import org.netserv.gist.port.OutboundDatagram;

/** Routing state is soft (RFC 5971 section 4.4.4). */
class RefreshTest {
  @Test
  void theDefaultsAreThoseOfTheRfc() {
    assertEquals(500, GistSettings.DEFAULT.t1());
    assertEquals(32_000, GistSettings.DEFAULT.t2());
    assertEquals(30_000, GistSettings.DEFAULT.validity());
    assertEquals(30_000, GistSettings.DEFAULT.hold());
    assertEquals(List.of(), GistSettings.DEFAULT.noRouterAlert());
  }

  @Test
  void refreshesFallBetweenHalfAndThreeQuarters() {
    List<Long> times = new ArrayList<>();
    for (int seed = 1; seed <= 20; seed++) {
      Tuning tuning = new Tuning();
      tuning.seed = seed;
      Bench bench = new Bench(tuning);
      Setup.unreliableQuerier(bench);
      times.add(untilSent(bench));
    }
    times.forEach(ms -> assertTrue(ms >= 15_000 && ms <= 22_510, times.toString()));
    assertTrue(new HashSet<>(times).size() > 10, "random: " + times);
  }

  @Test
  void aRefreshIsAQueryInQmode() {
    Bench bench = new Bench();
    Setup.unreliableQuerier(bench);
    untilSent(bench);
    OutboundDatagram query = bench.sent.get(0);
    assertEquals(address("10.0.9.9"), query.destination());
    assertEquals(Bench.ROUTER_ALERT, query.routerAlert());
    Seen seen = bench.one();
    assertEquals(0, seen.type());
    assertTrue(seen.c() && seen.r());
  }

  @Test
  void theRespondersValueRules() {
    Bench bench = new Bench();
    bench.send(Requests.unreliable());
    String response = Peer.response(bench.one().object(Seen.QUERY_COOKIE));
    bench.direct("10.0.2.7", "10.0.2.1", response.replace("00007530", "00000fa0")); // 4 s
    bench.take();
    long after = untilSent(bench);
    assertTrue(after >= 2000 && after <= 3010, after + " ms");
  }

  @Test
  void stateThatNobodyRefreshesGoes() {
    Bench bench = new Bench();
    HandshakeTest.responder(bench);
    bench.clock.advance(29_000);
    bench.direct("10.0.1.7", "10.0.1.1", Peer.data("0a0b0c0d"));
    assertEquals(List.of("0a0b0c0d"), bench.app.payloads());
    bench.clock.advance(1_001); // Data does not refresh
    bench.direct("10.0.1.7", "10.0.1.1", Peer.data("0a0b0c0d"));
    assertEquals("2:5/0", bench.one().error());
    assertEquals(1, bench.counters.get(Counter.STATE_EXPIRED));
  }

  @Test
  void aRefreshedStateStays() {
    Bench bench = new Bench();
    HandshakeTest.responder(bench);
    for (int i = 0; i < 10; i++) {
      bench.clock.advance(20_000);
      bench.query(Peer.QUERY);
      Seen response = bench.one();
      assertEquals(1, response.type());
      if (response.r()) {
        String cookie = response.object(Seen.RESPONDER_COOKIE);
        bench.direct("10.0.1.7", "10.0.1.1", Peer.confirm(cookie));
      }
    }
    bench.clock.advance(29_000);
    bench.direct("10.0.1.7", "10.0.1.1", Peer.data("0a0b0c0d"));
    assertEquals(List.of("0a0b0c0d"), bench.app.payloads());
    assertEquals(1, bench.counters.get(Counter.STATE_CREATED));
  }

  @Test
  void aPeerThatIsGoneTakesTheStateWithIt() {
    Bench bench = new Bench();
    Setup.unreliableQuerier(bench);
    bench.app.notes.clear();
    bench.clock.advance(30_000); // refreshes that nobody answers
    assertEquals(1, bench.counters.get(Counter.STATE_EXPIRED));
    assertTrue(bench.app.kinds().contains(NetworkNotification.Kind.ROUTE_DELETION));
    bench.take();
    bench.clock.advance(200_000);
    assertEquals(List.of(), bench.take());
    assertEquals(0, bench.clock.pending());
  }

  @Test
  void anInactiveSessionIsNotRefreshed() {
    Bench bench = new Bench();
    Setup.unreliableQuerier(bench);
    bench.node.setStateLifetime(Bench.NSLP, Requests.FLOW, Requests.SID, Duration.ofSeconds(10));
    bench.clock.advance(300_000);
    assertEquals(List.of(), bench.take());
    assertEquals(0, bench.clock.pending(), "it is gone");
  }

  @Test
  void noFurtherInterestEndsIt() {
    Bench bench = new Bench();
    Setup.unreliableQuerier(bench);
    bench.node.setStateLifetime(Bench.NSLP, Requests.FLOW, null, Duration.ZERO);
    bench.clock.advance(300_000);
    assertEquals(List.of(), bench.take());
    assertEquals(0, bench.clock.pending());
  }

  @Test
  void validityGrowsWithTheNumberOfStates() {
    Tuning tuning = new Tuning();
    tuning.rate = 10;
    tuning.rateBurst = 10_000;
    Bench bench = new Bench(tuning);
    for (int i = 0; i < 300; i++) {
      bench.query(Peer.QUERY.replace(Peer.SID, Sessions.of(i)));
      Seen response = bench.one();
      long validity = Long.parseLong(response.object(Seen.NLI).substring(8, 16), 16);
      assertTrue(validity >= Math.max(30_000, 4000L * (i - 10) / 10), validity + " ms for " + i);
      assertFalse(i < 75 && validity > 30_000, validity + " ms for " + i);
      bench.direct(
          "10.0.1.7",
          "10.0.1.1",
          Peer.confirm(response.object(Seen.RESPONDER_COOKIE)).replace(Peer.SID, Sessions.of(i)));
    }
    assertEquals(300, bench.counters.get(Counter.STATE_CREATED));
  }

  /** Time until something is sent. */
  private static long untilSent(Bench bench) {
    long start = bench.clock.now();
    while (bench.sent.isEmpty() && bench.clock.now() < start + 60_000) {
      bench.clock.advance(10);
    }
    return bench.clock.now() - start;
  }
}
