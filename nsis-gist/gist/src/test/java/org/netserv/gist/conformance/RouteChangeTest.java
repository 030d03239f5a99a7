// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.netserv.gist.conformance.Bench.address;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.gist.NetworkNotification;
import org.netserv.gist.RoutingStatus;
import org.netserv.gist.SiiHandle;
import org.netserv.gist.TransferAttributes;

/** Routes change (RFC 5971 section 7.1). */
class RouteChangeTest {
  private static final SiiHandle OLD = SiiHandle.of(Bytes.of("eeff0011"), address("10.0.2.7"), 2);
  private static final SiiHandle NEW = SiiHandle.of(Bytes.of("eeff0022"), address("10.0.2.8"), 2);

  @Test
  void aNewPeerTakesOver() {
    Bench bench = new Bench();
    Setup.unreliableQuerier(bench);
    bench.app.notes.clear();
    bench.clock.advance(22_600);
    List<Seen> refresh = bench.take();
    String response =
        Peer.response(refresh.get(0).object(Seen.QUERY_COOKIE))
            .replace("eeff0011", "eeff0022")
            .replace("0a000207", "0a000208");
    bench.direct("10.0.2.8", "10.0.2.1", response);
    assertEquals(2, bench.take().get(0).type());
    NetworkNotification good = note(bench, NetworkNotification.Kind.ROUTING_STATUS_CHANGE);
    assertEquals(RoutingStatus.GOOD, good.status());
    assertEquals(NEW, good.peer());
    assertEquals(OLD, note(bench, NetworkNotification.Kind.ROUTE_DELETION).peer());
    send(bench);
    assertEquals(address("10.0.2.8"), bench.sent.get(0).destination());
    assertEquals(3, bench.one().type());
  }

  @Test
  void badFreezesDataUntilTheHandshake() {
    Bench bench = new Bench();
    Setup.unreliableQuerier(bench);
    bench.node.invalidateRoutingState(Bench.NSLP, Requests.FLOW, RoutingStatus.BAD, null, false);
    bench.clock.advance(0);
    send(bench);
    Seen query = bench.one();
    assertEquals(0, query.type(), "a Query, no Data");
    bench.direct("10.0.2.7", "10.0.2.1", Peer.response(query.object(Seen.QUERY_COOKIE)));
    List<Integer> types = bench.take().stream().map(Seen::type).toList();
    assertEquals(2, types.get(0), "then the Confirm");
    assertTrue(types.contains(3) || query.objects().containsKey(Seen.DATA), types.toString());
  }

  @Test
  void tentativeLetsDataFlow() {
    Bench bench = new Bench();
    Setup.unreliableQuerier(bench);
    bench.node.invalidateRoutingState(
        Bench.NSLP, Requests.FLOW, RoutingStatus.TENTATIVE, null, false);
    bench.clock.advance(0);
    send(bench);
    assertTrue(bench.take().stream().anyMatch(seen -> seen.type() == 3), "Data goes on");
  }

  @Test
  void urgentQueriesAtOnce() {
    for (RoutingStatus status : List.of(RoutingStatus.BAD, RoutingStatus.TENTATIVE)) {
      Bench bench = new Bench();
      Setup.unreliableQuerier(bench);
      bench.node.invalidateRoutingState(
          Bench.NSLP, Requests.FLOW, status, Bytes.of("31323334"), true);
      bench.clock.advance(0);
      Seen query = bench.one();
      assertEquals(0, query.type());
      assertEquals("31323334", query.object(Seen.DATA));
    }
  }

  private static void verify(Bench bench) {
    bench.node.verifyPeer(
        Bench.NSLP, Requests.FLOW, Requests.SID, Duration.ofSeconds(1), Duration.ofSeconds(2));
    bench.clock.advance(0);
  }

  /** Beyond the RFC: messages of the application go to the peer that is on the path now. */
  @Test
  void aVerifiedPeerGetsWhatWaitedForIt() {
    Bench bench = new Bench();
    Setup.unreliableQuerier(bench);
    bench.clock.advance(1_001);
    verify(bench);
    send(bench);
    verify(bench);
    Seen query = bench.one();
    assertEquals(0, query.type(), "one Query, no Data");
    String response =
        Peer.response(query.object(Seen.QUERY_COOKIE))
            .replace("eeff0011", "eeff0022")
            .replace("0a000207", "0a000208");
    bench.direct("10.0.2.8", "10.0.2.1", response);
    for (var datagram : bench.sent) {
      assertEquals(address("10.0.2.8"), datagram.destination());
    }
    assertEquals(List.of(2, 3), bench.take().stream().map(Seen::type).toList());
  }

  @Test
  void aPeerThatWasConfirmedJustNowIsRight() {
    Bench bench = new Bench();
    Setup.unreliableQuerier(bench);
    bench.clock.advance(1_000);
    verify(bench);
    send(bench);
    assertEquals(3, bench.one().type());
  }

  /**
   * The Queries stay unanswered as long as the application waits. The message goes to the known
   * peer.
   */
  @Test
  void lostQueriesDoNotKeepAMessage() {
    Bench bench = new Bench();
    Setup.unreliableQuerier(bench);
    bench.clock.advance(1_001);
    verify(bench);
    send(bench);
    bench.clock.advance(1_999);
    assertEquals(List.of(0, 0, 0), bench.take().stream().map(Seen::type).toList());
    bench.clock.advance(1);
    assertEquals(address("10.0.2.7"), bench.sent.get(0).destination());
    assertEquals(3, bench.one().type());
    send(bench);
    assertEquals(3, bench.one().type(), "once is enough");
  }

  @Test
  void theOtherDirectionStays() {
    Bench bench = new Bench();
    HandshakeTest.responder(bench); // upstream state, to the west
    Setup.unreliableQuerier(bench); // downstream state, to the east
    bench.node.invalidateRoutingState(Bench.NSLP, Requests.FLOW, RoutingStatus.BAD, null, false);
    bench.clock.advance(0);
    bench.send(
        Requests.of("0a0b0c0d", "u", Requests.FLOW.flipped(), TransferAttributes.UNRELIABLE));
    assertEquals(address("10.0.1.7"), bench.sent.get(0).destination());
    assertEquals(3, bench.one().type());
  }

  private static void send(Bench bench) {
    bench.send(Requests.of("0a0b0c0d", "b", Requests.FLOW, TransferAttributes.UNRELIABLE));
    bench.clock.advance(0);
  }

  private static NetworkNotification note(Bench bench, NetworkNotification.Kind kind) {
    List<NetworkNotification> found =
        bench.app.notes.stream().filter(note -> note.kind() == kind).toList();
    assertEquals(1, found.size(), () -> kind + ": " + bench.app.notes);
    return found.get(0);
  }

  @Test
  void whatWaitsForAConnectionToTheOldPeerGoesToTheNewOne() {
    Bench bench = new Bench();
    bench.send(Requests.reliable());
    bench.direct(
        "10.0.2.7", "10.0.2.1", Peer.responseWithOffer(bench.one().object(Seen.QUERY_COOKIE)));
    assertEquals(1, bench.wires.opened.size());
    bench.node.invalidateRoutingState(
        Bench.NSLP, Requests.FLOW, RoutingStatus.TENTATIVE, null, true);
    String fromOther =
        Peer.responseWithOffer(bench.one().object(Seen.QUERY_COOKIE))
            .replace("eeff0011", "eeff0022")
            .replace("0a000207", "0a000208");
    bench.direct("10.0.2.8", "10.0.2.1", fromOther);
    assertEquals(2, bench.wires.opened.size());
    assertEquals(List.of(), bench.app.statuses, "it has not left");
    bench.wires.opened.get(1).connect();
    assertEquals(List.of(2, 3), bench.wires.opened.get(1).seen().stream().map(Seen::type).toList());
    assertEquals(List.of("a SENT"), bench.app.statuses);
    bench.wires.opened.get(0).connect();
    assertEquals(List.of(2), bench.wires.opened.get(0).seen().stream().map(Seen::type).toList());
    assertEquals(List.of("a SENT"), bench.app.statuses, "once");
  }
}
