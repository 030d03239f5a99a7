// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.netserv.gist.GistCounters.Counter;

/**
 * Tests the limits on messages that we send and on packets that we look at (RFC 5971 sections
 * 5.3.2.3 and 5.3.3).
 */
class RateTest {
  @Test
  void aBurstIsQueued() {
    Tuning tuning = new Tuning();
    tuning.rate = 10;
    tuning.rateBurst = 5;
    Bench bench = new Bench(tuning);
    for (int i = 0; i < 30; i++) {
      bench.send(Sessions.unreliable(i));
    }
    assertEquals(5, bench.sent.size());
    bench.clock.advance(1000);
    assertTrue(bench.sent.size() <= 15, bench.sent.size() + " sent in a second");
    bench.clock.advance(19_000);
    assertTrue(bench.sent.size() <= 205, "retransmissions count too");
    Set<String> sessions = new HashSet<>();
    bench.take().forEach(query -> sessions.add(query.object(Seen.SID)));
    assertEquals(30, sessions.size(), "nothing was lost");
  }

  @Test
  void forwardingIsExempt() {
    Tuning tuning = new Tuning();
    tuning.rate = 1;
    tuning.rateBurst = 1;
    Bench bench = new Bench(tuning);
    for (int i = 0; i < 100; i++) {
      bench.query(Peer.QUERY.replace("7fc6", "7ff0"));
    }
    assertEquals(100, bench.verdicts.size());
    assertEquals(0, Collections.frequency(bench.verdicts, "taken"));
    assertEquals(100, bench.counters.get(Counter.FORWARDED_BYPASS));
  }

  @Test
  void interceptionIsLimited() {
    Tuning tuning = new Tuning();
    tuning.interceptionRate = 10;
    Bench bench = new Bench(tuning);
    for (int i = 0; i < 100; i++) {
      bench.query(Peer.QUERY);
    }
    assertEquals(100, bench.verdicts.size(), "each has its verdict");
    int looked = bench.app.queries.size();
    assertTrue(looked >= 1 && looked <= 20, looked + " looked at");
    assertEquals(100 - looked, Collections.frequency(bench.verdicts, "forward"));
    assertEquals(100 - looked, bench.counters.get(Counter.PASSED_RATE_LIMIT));
    bench.clock.advance(1000);
    bench.query(Peer.QUERY);
    assertEquals(looked + 1, bench.app.queries.size());
  }

  @Test
  void errorsAreLimited() {
    Tuning tuning = new Tuning();
    tuning.rate = 10;
    tuning.rateBurst = 10;
    Bench bench = new Bench(tuning);
    for (int i = 0; i < 1000; i++) {
      bench.direct("10.0.1.7", "10.0.1.1", Peer.data("0a0b0c0d"));
    }
    bench.clock.advance(1000);
    assertTrue(bench.sent.size() <= 20, bench.sent.size() + " Errors in a second");
  }
}
