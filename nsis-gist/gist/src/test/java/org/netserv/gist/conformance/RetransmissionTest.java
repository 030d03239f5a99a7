// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.gist.NetworkNotification;

/** Queries that nobody answers (RFC 5971 section 5.3.3). */
class RetransmissionTest {
  @Test
  void theIntervalDoubles() {
    Bench bench = new Bench();
    bench.send(Requests.unreliable());
    assertEquals(
        List.of(0L, 500L, 1500L, 3500L, 7500L, 15_500L, 31_500L),
        times(bench, 35_000).subList(0, 7));
  }

  @Test
  void noIntervalIsLongerThanT2() {
    Tuning tuning = new Tuning();
    tuning.t2 = 2000;
    Bench bench = new Bench(tuning);
    bench.send(Requests.unreliable());
    List<Long> times = times(bench, 100_000);
    for (int i = 1; i < times.size(); i++) {
      assertTrue(times.get(i) - times.get(i - 1) <= 2000, times.toString());
    }
    assertEquals(List.of(0L, 500L, 1500L), times.subList(0, 3));
    assertEquals(List.of("a NO_RESPONSE"), bench.app.statuses);
  }

  @Test
  void eachCopyHasItsOwnCookie() {
    Bench bench = new Bench();
    bench.send(Requests.unreliable());
    bench.clock.advance(20_000);
    List<Seen> copies = bench.take();
    HashSet<String> cookies = new HashSet<>();
    copies.forEach(copy -> cookies.add(copy.object(Seen.QUERY_COOKIE)));
    assertEquals(6, copies.size());
    assertEquals(6, cookies.size());
    cookies.forEach(cookie -> assertEquals(32, cookie.length())); // 16 random bytes
  }

  @Test
  void anAnswerToTheFirstCopyComesLate() {
    Bench bench = new Bench();
    bench.send(Requests.unreliable());
    bench.clock.advance(2000);
    List<Seen> copies = bench.take();
    assertEquals(3, copies.size());
    bench.direct("10.0.2.7", "10.0.2.1", Peer.response(copies.get(0).object(Seen.QUERY_COOKIE)));
    List<Seen> after = bench.take();
    assertEquals(2, after.get(0).type(), "a Confirm");
    assertTrue(bench.app.statuses.contains("a SENT"), bench.app.statuses.toString());
    bench.clock.advance(10_000);
    assertEquals(List.of(), bench.take(), "no further copies");
  }

  @Test
  void theApplicationsTimeoutEndsIt() {
    Bench bench = new Bench();
    bench.send(Requests.within(Duration.ofMillis(2500)));
    bench.clock.advance(2500);
    assertEquals(List.of("a NO_RESPONSE"), bench.app.statuses);
    int copies = bench.take().size();
    assertTrue(copies >= 2 && copies <= 3, copies + " copies");
    bench.clock.advance(100_000);
    assertEquals(List.of(), bench.take());
    assertEquals(0, bench.clock.pending(), "nothing leaks");
  }

  @Test
  void nobodyAnswers() {
    Bench bench = new Bench();
    bench.send(Requests.unreliable());
    bench.clock.advance(200_000);
    assertEquals(List.of("a NO_RESPONSE"), bench.app.statuses);
    assertEquals(List.of(NetworkNotification.Kind.LAST_NODE), bench.app.kinds());
    assertEquals(NetworkNotification.NO_RESPONSE, bench.app.notes.get(0).reason());
    assertEquals(0, bench.clock.pending(), "nothing leaks");
  }

  @Test
  void aResponseIsRepeatedWhereThereIsState() {
    Bench bench = new Bench();
    HandshakeTest.responder(bench);
    bench.clock.advance(1000);
    bench.query(Peer.QUERY_ASSOCIATION); // now an association is wanted: a Confirm is due
    assertEquals(List.of(0L, 500L, 1500L, 3500L), times(bench, 4000));
    Seen response = bench.take().get(3);
    assertEquals(1, response.type());
    Setup.accepted(bench).receive(Setup.firstConfirm(response));
    bench.clock.advance(20_000);
    assertEquals(List.of(), bench.take(), "confirmed");
  }

  @Test
  void aResponseThatIsNeverConfirmedEndsTheState() {
    Tuning tuning = new Tuning();
    tuning.t2 = 4000;
    Bench bench = new Bench(tuning);
    HandshakeTest.responder(bench);
    bench.query(Peer.QUERY_ASSOCIATION);
    assertEquals(List.of(0L, 500L, 1500L, 3500L), times(bench, 7000));
    assertEquals(1, bench.counters.snapshot().get("states-responding"), "so far");
    bench.clock.advance(600);
    assertEquals(0, bench.counters.snapshot().get("states-responding"));
    assertTrue(bench.app.kinds().contains(NetworkNotification.Kind.ROUTE_DELETION));
    bench.take();
    bench.clock.advance(100_000);
    assertEquals(List.of(), bench.take());
    assertEquals(0, bench.clock.pending(), "nothing leaks");
  }

  @Test
  void aQueryThatNeedsNoConfirmEndsTheWaitingForOne() {
    Tuning tuning = new Tuning();
    tuning.t2 = 4000;
    Bench bench = new Bench(tuning);
    HandshakeTest.responder(bench);
    bench.query(Peer.QUERY_ASSOCIATION);
    bench.clock.advance(100);
    bench.take();
    bench.query(Peer.QUERY);
    assertFalse(bench.one().r(), "what there is suits");
    bench.clock.advance(20_000);
    assertEquals(List.of(), bench.take(), "no Response is repeated");
    assertEquals(1, bench.counters.snapshot().get("states-responding"));
  }

  /** When copies were sent, from now. */
  private static List<Long> times(Bench bench, long millis) {
    List<Long> times = new ArrayList<>();
    long step = 10;
    int before = 0;
    for (long at = 0; at <= millis; at += step) {
      for (; before < bench.sent.size(); before++) {
        times.add(at);
      }
      bench.clock.advance(step);
    }
    return times.stream().map(at -> at == 0 ? 0 : at).toList();
  }
}
