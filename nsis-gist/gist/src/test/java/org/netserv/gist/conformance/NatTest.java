// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.netserv.gist.conformance.Bench.address;
import static org.netserv.gist.conformance.Bytes.message;
import static org.netserv.gist.conformance.Bytes.object;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.gist.GistCounters.Counter;

/** Tests NATs that do not know GIST, and the object of NATs that do (RFC 5971 section 7.2). */
class NatTest {
  /** The MRI before the NAT, with the source 192.168.1.9. */
  private static final String ORIGINAL = "0000 4000 c0a80109 0a000909 20 20 00 00";

  /** The NLI was translated; one NAT, with two bytes of its own. */
  private static final String TRAVERSAL =
      object("0007", "04 01 01 00" + ORIGINAL + "0002 0000" + "0002 abcd");

  @Test
  void aMismatchIsToldToTheIpSource() {
    Bench bench = new Bench();
    bench.intercept(
        "203.0.113.5",
        "10.0.9.9",
        61,
        Bench.ROUTER_ALERT,
        1,
        Bytes.MAGIC + Peer.QUERY.replace("7fc68040", "7fc680c0"));
    assertEquals(address("203.0.113.5"), bench.sent.get(0).destination());
    assertEquals(address("10.0.9.9"), bench.sent.get(0).source());
    assertEquals(Bench.SOURCE_PORT, bench.sent.get(0).destinationPort());
    Fault fault = Fault.of(bench);
    assertEquals("2:9/4", fault.code());
    assertEquals(List.of("3:00000000"), fault.infos());
    assertEquals(0, bench.app.queries.size());
  }

  @Test
  void withoutTheSenderFlagNothingIsCompared() {
    Bench bench = new Bench();
    bench.query(Peer.QUERY); // from 10.0.0.9, the flow's source
    assertEquals(1, bench.one().type());
  }

  @Test
  void theQuerierGivesUpOnAMismatch() {
    Bench bench = new Bench();
    bench.send(Requests.unreliable());
    bench.direct("203.0.113.5", "10.0.2.1", Peer.response(bench.one().object(Seen.QUERY_COOKIE)));
    assertEquals(List.of(), bench.take(), "no Confirm");
    assertEquals(1, bench.app.statuses.size());
    assertEquals(1, bench.counters.get(Counter.REFUSED_LEGACY_NAT));
    bench.clock.advance(100_000);
    assertEquals(List.of(), bench.take(), "no further Queries");
  }

  @Test
  void theQuerierEndsOnUntranslated() {
    Bench bench = new Bench();
    bench.send(Requests.unreliable());
    String header = Bytes.hex(bench.sent.get(0).payload()).substring(8, 24);
    bench.take();
    bench.direct("10.0.2.7", "10.0.2.1", Peer.error("02 0009 04", header));
    bench.clock.advance(100_000);
    assertEquals(List.of(), bench.take());
    assertEquals(List.of("a REFUSED"), bench.app.statuses);
  }

  @Test
  void aTranslatedQueryIsRefused() {
    Bench bench = new Bench();
    bench.query(
        message(Peer.QUERY_HEADER, TRAVERSAL, Peer.MRI, Peer.SID, Peer.WEST, Peer.QUERY_COOKIE));
    Seen error = bench.one();
    assertEquals("2:9/4", error.error());
    assertEquals(List.of("3:00000000"), Fault.of(error).infos(), "two forms of MRI are too many");
    assertEquals(Seen.TRAVERSAL, error.order().get(0));
    assertEquals(TRAVERSAL.substring(8), error.object(Seen.TRAVERSAL));
    assertEquals(0, bench.app.queries.size());
  }

  @Test
  void theTraversalObjectIsEchoedFirst() {
    String query =
        message(Peer.QUERY_HEADER, TRAVERSAL, Peer.MRI, Peer.SID, Peer.WEST, Peer.QUERY_COOKIE);
    for (String wrong :
        List.of(
            query.replaceFirst("^0120", "0100"), // hop count
            query.replace("7fc6", "7ff0").replaceFirst("^0120", "0101"), // must not go on
            message(Peer.QUERY_HEADER, TRAVERSAL, Peer.MRI, Peer.SID, Peer.WEST))) { // no cookie
      Bench bench = new Bench();
      bench.query(wrong);
      Seen error = bench.one();
      assertEquals(4, error.type());
      assertEquals(Seen.TRAVERSAL, error.order().get(0), wrong);
      assertEquals(TRAVERSAL.substring(8), error.object(Seen.TRAVERSAL));
    }
  }

  @Test
  void anUntranslatedObjectIsNamed() {
    Bench bench = new Bench();
    String nothing = object("0007", "04 00 01 00" + ORIGINAL + "0002 abcd");
    bench.query(
        message(Peer.QUERY_HEADER, nothing, Peer.MRI, Peer.SID, Peer.WEST, Peer.QUERY_COOKIE));
    assertEquals(List.of("3:00020000"), Fault.of(bench).infos(), "the NLI");
    bench.query(
        message(
            Peer.QUERY_HEADER,
            TRAVERSAL,
            Peer.MRI,
            Peer.SID,
            Peer.WEST,
            Peer.QUERY_COOKIE,
            Peer.PROPOSAL,
            Peer.CONFIGURATION));
    assertEquals(List.of("3:00040000"), Fault.of(bench).infos(), "the configuration");
  }

  @Test
  void theQuerierKeysByTheOriginalMri() {
    Bench bench = new Bench();
    bench.send(Requests.unreliable());
    String cookie = bench.one().object(Seen.QUERY_COOKIE);
    String ours = object("0007", "04 01 00 00" + Peer.MRI.substring(8) + "0002 0000");
    String outside = object("0000", "0000 4020 cb007105 0a000909 20 20 00 00");
    bench.direct(
        "10.0.2.7",
        "10.0.2.1",
        message(
            Peer.RESPONSE_HEADER,
            ours,
            outside,
            Peer.SID,
            Peer.EAST,
            object("0005", cookie),
            Peer.RESPONDER_COOKIE));
    Seen confirm = bench.take().get(0);
    assertEquals(2, confirm.type());
    assertEquals(Peer.MRI.substring(8), confirm.object(Seen.MRI), "the querier's own MRI");
  }
}
