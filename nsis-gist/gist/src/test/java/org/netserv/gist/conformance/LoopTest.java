// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.gist.NetworkNotification;
import org.netserv.gist.TransferAttributes;
import org.netserv.gist.wire.PathCoupledMri;

/** Cases in which another node could make us send without end, as fast as the path is. */
class LoopTest {
  private static final String NO_ROUTING_STATE = "02 0005 00";

  @Test
  void aPeerThatNeverKeepsRoutingState() {
    Bench bench = new Bench();
    bench.send(Requests.unreliable());
    int handshakes = 0;
    for (Seen query : bench.take()) {
      Seen asked = query;
      while (asked != null && handshakes < 100) {
        handshakes++;
        bench.direct("10.0.2.7", "10.0.2.1", Peer.response(asked.object(Seen.QUERY_COOKIE)));
        List<Seen> data = bench.take();
        assertEquals(3, data.get(data.size() - 1).type(), "the data, again");
        bench.direct("10.0.2.7", "10.0.2.1", Peer.error(NO_ROUTING_STATE, "012000007fc60380"));
        List<Seen> next = bench.take();
        asked = next.isEmpty() ? null : next.get(0);
      }
    }
    assertEquals(9, handshakes);
    assertTrue(bench.app.kinds().contains(NetworkNotification.Kind.ROUTE_DELETION));
    bench.clock.advance(100_000);
    assertEquals(List.of(), bench.take());
    assertEquals(0, bench.clock.pending());
  }

  @Test
  void aWayThatIsTooNarrowForAnyQuery() {
    Bench bench = new Bench();
    bench.send(Requests.unreliable());
    Seen query = bench.one();
    bench.direct("10.0.2.7", "10.0.2.1", Peer.tooLarge(query, 300));
    Seen second = bench.one();
    assertTrue(second.objects().containsKey(Seen.PROPOSAL), "an association is asked for");
    for (int i = 0; i < 50; i++) {
      bench.direct("10.0.2.7", "10.0.2.1", Peer.tooLarge(second, 300));
    }
    assertEquals(List.of(), bench.take(), "not before the retransmission");
    bench.clock.advance(500);
    assertEquals(1, bench.take().size());
  }

  @Test
  void aResponderThatGivesNextToNoTime() {
    Bench bench = new Bench();
    bench.send(Requests.unreliable());
    int queries = 0;
    String cookie = bench.one().object(Seen.QUERY_COOKIE);
    for (int i = 0; i < 1000; i++) { // 10 s
      if (cookie != null) {
        String response = Peer.response(cookie).replace("00007530", "00000001");
        bench.direct("10.0.2.7", "10.0.2.1", response);
        bench.take();
        cookie = null;
      }
      bench.clock.advance(10);
      for (Seen seen : bench.take()) {
        queries++;
        cookie = seen.object(Seen.QUERY_COOKIE);
      }
    }
    assertTrue(queries >= 6 && queries <= 10, queries + " refreshes");
  }

  @Test
  void anMtuBeyondThatOfTheFirstHop() {
    Bench bench = new Bench();
    bench.send(Requests.unreliable());
    bench.direct("10.0.2.7", "10.0.2.1", Peer.tooLarge(bench.one(), 9000)); // whoever says it
    bench.take();
    PathCoupledMri other =
        PathCoupledMri.between(Bench.address("10.0.0.8"), Bench.address("10.0.9.9"));
    bench.send(Requests.of("0a".repeat(2000), "b", other, TransferAttributes.UNRELIABLE));
    assertTrue(bench.one().objects().containsKey(Seen.PROPOSAL), "2,000 bytes need an association");
  }
}
