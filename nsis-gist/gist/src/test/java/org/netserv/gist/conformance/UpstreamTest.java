// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.netserv.gist.conformance.Bench.address;
import static org.netserv.gist.conformance.Bytes.message;
import static org.netserv.gist.conformance.Bytes.object;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.gist.TransferAttributes;
import org.netserv.gist.port.OutboundDatagram;

/** Queries against the direction of the flow (RFC 5971 section 5.8.1.3). */
class UpstreamTest {
  /** The Query of the node in the east: S=1, D=1. */
  private static final String QUERY =
      message("01 20 7fc6 80 c0", Peer.MRI_UP, Peer.SID, nli(), Peer.QUERY_COOKIE);

  @Test
  void anUpstreamQueryIsTheBytesOfTheRfc() {
    Bench bench = new Bench();
    bench.more.add(address("10.0.9.9")); // the flow ends here
    bench.send(Requests.of(Requests.FLOW.flipped(), TransferAttributes.UNRELIABLE));
    OutboundDatagram query = bench.sent.get(0);
    assertEquals(address("10.0.0.9"), query.destination());
    assertEquals(address("10.0.1.1"), query.source());
    assertEquals(255, query.ttl());
    assertEquals(Bench.ROUTER_ALERT, query.routerAlert());
    Seen seen = bench.one();
    assertTrue(seen.c() && seen.r() && seen.s());
    assertEquals(Peer.MRI_UP.substring(8), seen.object(Seen.MRI));
    assertTrue(seen.object(Seen.NLI).endsWith("0a000101"));
  }

  @Test
  void anUpstreamQueryIsAnswered() {
    Bench bench = new Bench();
    ask(bench, QUERY, 255);
    assertEquals(address("10.0.2.7"), bench.sent.get(0).destination());
    Seen response = bench.one();
    assertEquals(1, response.type());
    assertEquals(Peer.MRI.substring(8), response.object(Seen.MRI), "the other direction");
    bench.direct("10.0.2.7", "10.0.2.1", confirm(response));
    bench.direct("10.0.2.7", "10.0.2.1", data("0a0b0c0d"));
    assertEquals(List.of("0a0b0c0d"), bench.app.payloads());
    assertTrue(bench.app.received.get(0).mri().upstream());
  }

  @Test
  void fromFartherThanOneHop() {
    Bench bench = new Bench();
    ask(bench, QUERY, 253);
    assertEquals("4:11/0", bench.one().error());
    assertEquals(0, bench.app.queries.size());
    ask(bench, QUERY, 254);
    assertEquals(1, bench.one().type(), "one hop is allowed");
  }

  @Test
  void downstreamStateWins() {
    Bench bench = new Bench();
    bench.more.add(address("10.0.9.9")); // the flow ends here
    // We are the querier upstream, toward 10.0.1.8, and the responder of 10.0.1.7 downstream:
    // both are state for sending upstream.
    bench.send(Requests.of(Requests.FLOW.flipped(), TransferAttributes.UNRELIABLE));
    String cookie = bench.one().object(Seen.QUERY_COOKIE);
    String west8 = Peer.WEST.replace("0a000107", "0a000108").replace("aabbccdd", "aabbccee");
    bench.direct(
        "10.0.1.8",
        "10.0.1.1",
        message(
            Peer.RESPONSE_HEADER,
            Peer.MRI,
            Peer.SID,
            west8,
            object("0005", cookie),
            Peer.RESPONDER_COOKIE));
    bench.take();
    assertEquals("10.0.1.8", upstreamPeer(bench));
    HandshakeTest.responder(bench);
    assertEquals("10.0.1.7", upstreamPeer(bench), "the downstream Query knows better");
    bench.query(Peer.QUERY.replace(Peer.SID, Peer.OTHER_SID).replace("0a000107", "0a000109"));
    String other = bench.one().object(Seen.RESPONDER_COOKIE);
    bench.direct(
        "10.0.1.9",
        "10.0.1.1",
        Peer.confirm(other).replace(Peer.SID, Peer.OTHER_SID).replace("0a000107", "0a000109"));
    assertEquals("10.0.1.7", upstreamPeer(bench), "other sessions are independent");
  }

  private static String upstreamPeer(Bench bench) {
    bench.sent.clear();
    bench.send(
        Requests.of("0a0b0c0d", "u", Requests.FLOW.flipped(), TransferAttributes.UNRELIABLE));
    String to = bench.sent.get(0).destination().getHostAddress();
    assertEquals(3, bench.one().type());
    return to;
  }

  private static String nli() {
    return Peer.EAST.replace("04004000", "04ff4000");
  }

  private static void ask(Bench bench, String query, int ttl) {
    bench.intercept("10.0.2.7", "10.0.0.9", ttl, Bench.ROUTER_ALERT, 2, Bytes.MAGIC + query);
  }

  private static String confirm(Seen response) {
    return message(
        Peer.CONFIRM_HEADER,
        Peer.MRI_UP,
        Peer.SID,
        nli(),
        object("0006", response.object(Seen.RESPONDER_COOKIE)));
  }

  private static String data(String payload) {
    return message(Peer.DATA_HEADER, Peer.MRI_UP, Peer.SID, nli(), object("0008", payload));
  }
}
