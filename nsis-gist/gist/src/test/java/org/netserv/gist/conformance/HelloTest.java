// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.netserv.gist.conformance.Bytes.message;
import static org.netserv.gist.conformance.Bytes.object;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** MA-Hello (RFC 5971 sections 4.4.5, 5.1 and 5.2.2). */
class HelloTest {
  private static final String KEEPALIVE = message("01 20 0000 05 80", object("000a", "00000000"));

  @Test
  void keepalivesFallBetweenHalfAndThreeQuarters() {
    List<Long> intervals = new ArrayList<>();
    for (int seed = 1; seed <= 20; seed++) {
      Tuning tuning = new Tuning();
      tuning.seed = seed;
      Bench bench = new Bench(tuning);
      Wires.Wire wire = Setup.querier(bench);
      int before = wire.sent.size();
      long start = bench.clock.now();
      while (wire.sent.size() == before && bench.clock.now() < start + 60_000) {
        bench.clock.advance(10);
      }
      intervals.add(bench.clock.now() - start);
      Bytes.assertLike(
          message("01 ?? 0000 05 80", object("000a", "00000000")), wire.sent.get(before));
    }
    intervals.forEach(ms -> assertTrue(ms >= 15_000 && ms <= 22_510, intervals.toString()));
    assertTrue(new HashSet<>(intervals).size() > 10, "random: " + intervals);
  }

  @Test
  void thePeersHoldTimeCounts() {
    Bench bench = new Bench();
    bench.send(Requests.reliable());
    String response = Peer.responseWithOffer(bench.one().object(Seen.QUERY_COOKIE));
    String hold = Peer.CONFIGURATION_PORT.replace("00007530", "00000fa0"); // 4 s
    bench.direct("10.0.2.7", "10.0.2.1", response.replace(Peer.CONFIGURATION_PORT, hold));
    Wires.Wire wire = bench.wires.opened.get(0);
    wire.connect();
    bench.clock.advance(0);
    int before = wire.sent.size();
    bench.clock.advance(1999);
    assertEquals(before, wire.sent.size());
    bench.clock.advance(1002);
    assertEquals(5, wire.seen().get(before).type());
  }

  @Test
  void aRequestIsEchoed() {
    Bench bench = new Bench();
    Wires.Wire wire = Setup.responder(bench);
    wire.receive(message("01 20 0000 05 c0", object("000a", "11223344")));
    assertEquals(1, wire.sent.size());
    Bytes.assertLike(message("01 ?? 0000 05 80", object("000a", "11223344")), wire.sent.get(0));
    wire.receive(KEEPALIVE);
    assertEquals(1, wire.sent.size(), "R=0 wants no answer");
  }

  @Test
  void aRequestWithoutIdentifierIsRefused() {
    Bench bench = new Bench();
    Wires.Wire wire = Setup.responder(bench);
    wire.receive(message("01 20 0000 05 c0", object("000a", "00000000")));
    Fault fault = Fault.of(wire.seen().get(0));
    assertEquals("2:10/1", fault.code());
    assertEquals(object("000a", "00000000"), fault.infos().get(0).substring(10));
    assertEquals(1, wire.sent.size());
  }

  @Test
  void anOwnRequestHasAnIdentifier() {
    Bench bench = new Bench();
    Wires.Wire wire = Setup.responder(bench);
    bench.clock.advance(300_000);
    for (Seen seen : wire.seen()) {
      if (seen.type() == 5) {
        assertEquals(seen.r(), !seen.object(Seen.HELLO).equals("00000000"));
      }
    }
  }

  @Test
  void nobodyHeardForTheHoldTimeEndsIt() {
    Bench bench = new Bench();
    Wires.Wire wire = Setup.responder(bench);
    for (int i = 0; i < 10; i++) {
      bench.clock.advance(29_000);
      assertFalse(wire.closed, "heard within the hold time");
      wire.receive(KEEPALIVE);
    }
    bench.clock.advance(120_000);
    assertTrue(wire.closed);
  }
}
