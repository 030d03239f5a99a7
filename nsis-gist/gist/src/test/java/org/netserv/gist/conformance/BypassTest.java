// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.netserv.gist.conformance.Bench.address;
import static org.netserv.gist.conformance.Bytes.message;
import static org.netserv.gist.conformance.Bytes.object;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.PeeringDecision;
import org.netserv.gist.port.InboundDatagram;

/** Messages that are not for us (RFC 5971 sections 4.3.1, 4.3.2 and 4.3.4). */
class BypassTest {
  private static final String STRANGE = Peer.QUERY.replace("7fc6", "7ff0");

  @Test
  void withoutTheMagicNumberItGoesOnUntouched() {
    Bench bench = new Bench();
    bench.intercept("10.0.0.9", "10.0.9.9", 61, -1, 1, "deadbeef" + Peer.QUERY);
    bench.intercept("10.0.0.9", "10.0.9.9", 61, -1, 1, "4e04bd");
    bench.intercept("10.0.0.9", "10.0.9.9", 61, -1, 1, "");
    assertEquals(List.of("forward", "forward", "forward"), bench.verdicts);
    assertEquals(List.of(), bench.take());
  }

  @Test
  void withoutTheContextFreeFlagItGoesOnUntouched() {
    Bench bench = new Bench();
    bench.intercept("10.0.0.9", "10.0.9.9", 61, -1, 1, Bytes.MAGIC + Peer.data("0a0b0c0d"));
    assertEquals(List.of("forward"), bench.verdicts);
    assertEquals(List.of(), bench.take());
  }

  @Test
  void withoutTheMagicNumberItIsDroppedSilently() {
    Bench bench = new Bench();
    for (String payload : List.of("deadbeef" + Peer.QUERY, "4e04bd", "")) {
      bench.receive(
          new InboundDatagram(
              0,
              address("10.0.1.7"),
              270,
              address("10.0.1.1"),
              270,
              61,
              0,
              0,
              -1,
              1,
              true,
              Bytes.of(payload)));
    }
    assertEquals(List.of(), bench.take());
    assertEquals(3, bench.counters.get(Counter.DROPPED_NO_MAGIC));
  }

  @Test
  void aRouterAlertWithoutQmodeGoesOnUntouched() {
    Bench bench = new Bench();
    bench.intercept("10.0.0.9", "10.0.9.9", 61, Bench.ROUTER_ALERT, 1, "00000000" + Peer.QUERY);
    assertEquals(List.of("forward"), bench.verdicts);
  }

  @Test
  void aRouterAlertOfOthersIsLeftToIp() {
    Bench bench = new Bench();
    bench.intercept("10.0.0.9", "10.0.9.9", 61, 33, 1, Bytes.MAGIC + STRANGE);
    assertEquals(List.of("forward"), bench.verdicts, "only the TTL goes down");
  }

  @Test
  void anApplicationThatIsNotHere() {
    Bench bench = new Bench();
    bench.query(STRANGE);
    String data =
        message("01 20 7ff0 83 80", Peer.MRI, Peer.SID, Peer.WEST, Peer.DATA); // Data in Q-mode
    bench.query(data);
    assertEquals(List.of(onward(STRANGE), onward(data)), bench.verdicts);
    assertEquals(List.of(), bench.take());
    assertEquals(List.of(), bench.app.queries);
  }

  @Test
  void theRestIsNotLookedInto() {
    Bench bench = new Bench();
    String odd = message("01 20 7ff0 80 40", "deadbeef", "cafecafe", object("c001", "01020304"));
    bench.query(odd);
    assertEquals(List.of(onward(odd)), bench.verdicts);
    assertEquals(List.of(), bench.take());
  }

  @Test
  void notMe() {
    Bench bench = new Bench();
    bench.app.decision = PeeringDecision.PASS;
    String query =
        message(
            Peer.QUERY_HEADER,
            Peer.MRI,
            Peer.SID,
            Peer.WEST,
            Peer.QUERY_COOKIE,
            Peer.PROPOSAL,
            Peer.CONFIGURATION,
            Peer.DATA);
    bench.query(query);
    assertEquals(List.of(onward(query)), bench.verdicts);
    assertEquals(List.of(), bench.take(), "nothing goes back");
  }

  @Test
  void notMeWithAnotherPayload() {
    Bench bench = new Bench();
    bench.app.decision = new PeeringDecision(false, Bytes.of("21222324 25262728 292a2b2c"));
    String before = Peer.MRI + Peer.SID + Peer.WEST + Peer.QUERY_COOKIE;
    bench.query(message(Peer.QUERY_HEADER, before, Peer.DATA));
    bench.query(message(Peer.QUERY_HEADER, before));
    String after =
        Bytes.MAGIC
            + message("01 1f 7fc6 80 40", before, object("0008", "21222324 25262728 292a2b2c"));
    assertEquals(List.of(after, after), bench.verdicts);
  }

  @Test
  void theLastNodePeersWhateverTheApplicationSays() {
    Bench bench = new Bench();
    bench.more.add(address("10.0.9.9"));
    bench.app.decision = PeeringDecision.PASS;
    bench.query(Peer.QUERY);
    assertEquals(1, bench.one().type());
    assertEquals(List.of("taken"), bench.verdicts);
    assertTrue(bench.app.queries.get(0).local());
  }

  @Test
  void tooLongForTheNextLink() {
    Bench bench = new Bench();
    bench.mtus.put(2, 400);
    String query =
        message(
            "01 20 7ff0 80 40",
            Peer.MRI,
            Peer.SID,
            Peer.WEST,
            Peer.QUERY_COOKIE,
            object("0008", "01020304".repeat(80)));
    bench.query(query);
    Fault fault = Fault.of(bench);
    assertEquals("4:8/0", fault.code());
    assertEquals(List.of("2:01900000"), fault.infos());
    assertEquals(List.of("taken"), bench.verdicts);
  }

  /** Returns a passing message with its only change, the hop count. */
  private static String onward(String message) {
    return Bytes.MAGIC + message.replaceFirst("^0120", "011f");
  }
}
