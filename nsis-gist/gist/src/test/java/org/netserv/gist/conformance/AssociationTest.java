// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.netserv.gist.conformance.Bytes.message;
import static org.netserv.gist.conformance.Bytes.object;

import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.NetworkNotification;
import org.netserv.gist.TransferAttributes;

/** Setting up messaging associations (RFC 5971 sections 4.4.1, 4.4.5 and 5.7). */
class AssociationTest {
  @Test
  void theResponseOffersItsOwnStacks() {
    Tuning both = new Tuning();
    both.stacks = List.of(Wires.TLS, Wires.TCP);
    Set<String> offers = new HashSet<>();
    for (String theirs :
        List.of(Peer.PROPOSAL, Peer.PROPOSAL_TLS, object("0003", "01 000000  02 02 01 00"))) {
      Bench bench = new Bench(both);
      bench.query(
          message(
              Peer.QUERY_HEADER,
              Peer.MRI,
              Peer.SID,
              Peer.WEST,
              Peer.QUERY_COOKIE,
              theirs,
              Peer.CONFIGURATION));
      Seen response = bench.one();
      assertTrue(response.r());
      assertEquals(
          List.of(
              Seen.MRI,
              Seen.SID,
              Seen.NLI,
              Seen.QUERY_COOKIE,
              Seen.RESPONDER_COOKIE,
              Seen.PROPOSAL,
              Seen.CONFIGURATION),
          response.order());
      offers.add(response.object(Seen.PROPOSAL) + " " + response.object(Seen.CONFIGURATION));
    }
    assertEquals(1, offers.size(), "they do not depend on the Query: " + offers);
    String offer = offers.iterator().next();
    assertTrue(offer.startsWith("02000000" + "02020100" + "01010000 "), offer);
    assertTrue(offer.contains(" 02000000" + "00007530"), offer);
    assertTrue(offer.contains("01010200" + "22220000"), "TCP of profile 1, TLS: " + offer);
    assertTrue(offer.contains("01020200" + "11110000"), "TCP of profile 2: " + offer);
  }

  @Test
  void theConfirmIsTheFirstMessage() {
    Bench bench = new Bench();
    bench.send(Requests.reliable());
    String cookie = bench.one().object(Seen.QUERY_COOKIE);
    bench.direct("10.0.2.7", "10.0.2.1", Peer.responseWithOffer(cookie));
    assertEquals(1, bench.wires.opened.size());
    Wires.Wire wire = bench.wires.opened.get(0);
    assertEquals(new InetSocketAddress(Bench.address("10.0.2.7"), 0x3333), wire.remote());
    assertEquals(0, wire.sent.size(), "everything waits");
    assertEquals(List.of(), bench.take());
    wire.connect();
    Bytes.assertLike(
        message(
            "01 ?? 7fc6 02 80",
            Peer.MRI,
            Peer.SID,
            object("0002", "04 ?? 40 00 00007530 cafe0001 0a000201"),
            Peer.RESPONDER_COOKIE,
            Peer.PROPOSAL,
            Peer.HOLD),
        wire.sent.get(0));
    Bytes.assertLike(message("01 ?? 7fc6 03 80", Peer.MRI, Peer.SID, Peer.DATA), wire.sent.get(1));
    assertEquals(2, wire.sent.size());
    assertEquals(List.of("a SENT"), bench.app.statuses);
  }

  @Test
  void anAlteredProposalInTheConfirm() {
    Bench bench = new Bench();
    bench.query(Peer.QUERY_ASSOCIATION);
    String right = Setup.firstConfirm(bench.one());
    Wires.Wire wire = Setup.accepted(bench);
    wire.receive(
        message(
            Peer.CONFIRM_HEADER, right.substring(16).replace(Peer.PROPOSAL, Peer.PROPOSAL_TLS)));
    bench.clock.advance(0);
    assertTrue(wire.closed);
    assertEquals(0, bench.counters.get(Counter.STATE_CREATED));
    assertEquals(1, bench.counters.get(Counter.REFUSED_BID_DOWN));
    Wires.Wire second = Setup.accepted(bench);
    second.receive(right);
    assertFalse(second.closed, "the true one is accepted");
    assertEquals(1, bench.counters.get(Counter.STATE_CREATED));
  }

  @Test
  void aWrongCookieInTheFirstConfirm() {
    Bench bench = new Bench();
    bench.query(Peer.QUERY_ASSOCIATION);
    String right = Setup.firstConfirm(bench.one());
    Wires.Wire wire = Setup.accepted(bench);
    wire.receive(right.replace(Peer.SID, Peer.OTHER_SID));
    bench.clock.advance(0);
    assertTrue(wire.closed);
    assertEquals(0, bench.counters.get(Counter.STATE_CREATED));
  }

  @Test
  void aFirstConfirmWithoutHoldTime() {
    Bench bench = new Bench();
    bench.query(Peer.QUERY_ASSOCIATION);
    String right = Setup.firstConfirm(bench.one());
    Wires.Wire wire = Setup.accepted(bench);
    wire.receive(message(Peer.CONFIRM_HEADER, right.substring(16).replace(Peer.HOLD, "")));
    Fault fault = Fault.of(wire.seen().get(0));
    assertEquals("2:9/2", fault.code());
    assertEquals(List.of("3:00040000"), fault.infos());
    assertEquals(0, bench.counters.get(Counter.STATE_CREATED));
  }

  @Test
  void samePeerSameAssociation() {
    Bench bench = new Bench();
    Wires.Wire wire = Setup.responder(bench);
    bench.query(Peer.QUERY_ASSOCIATION.replace(Peer.SID, Peer.OTHER_SID));
    assertEquals(List.of(), bench.take());
    Seen response = wire.seen().get(0);
    assertEquals(1, response.type());
    assertFalse(response.objects().containsKey(Seen.PROPOSAL));
    assertFalse(response.objects().containsKey(Seen.CONFIGURATION));
    assertEquals("a1a2a3a4a5a6a7a8", response.object(Seen.QUERY_COOKIE));
  }

  @Test
  void onlyTheIdentityMatches() {
    assertDmode(Peer.QUERY_ASSOCIATION.replace("0a000107", "0a000108"));
  }

  @Test
  void onlyTheAddressMatches() {
    assertDmode(Peer.QUERY_ASSOCIATION.replace("aabbccdd", "aabbccde"));
  }

  @Test
  void aResponseByAnAssociationUsesIt() {
    Bench bench = new Bench();
    Wires.Wire wire = Setup.querier(bench);
    int before = wire.sent.size();
    bench.send(Sessions.reliable(1));
    Seen query = bench.one();
    assertTrue(query.objects().containsKey(Seen.PROPOSAL));
    wire.receive(Peer.reused(query));
    bench.clock.advance(0);
    List<Integer> types = wire.seen().stream().skip(before).map(Seen::type).toList();
    assertEquals(List.of(2, 3), types, "Confirm and Data");
    assertFalse(wire.seen().get(before).objects().containsKey(Seen.PROPOSAL));
    assertEquals(1, bench.wires.opened.size());
  }

  @Test
  void aWeakAssociationIsNotUsedAgain() {
    Tuning both = new Tuning();
    both.stacks = List.of(Wires.TLS, Wires.TCP);
    Bench bench = new Bench(both);
    Wires.Wire wire = Setup.responder(bench); // TCP
    String secure = object("0003", "01 000000  02 02 01 00");
    bench.query(
        message(
            Peer.QUERY_HEADER,
            Peer.MRI,
            Peer.OTHER_SID,
            Peer.WEST,
            Peer.QUERY_COOKIE,
            secure,
            Peer.CONFIGURATION));
    assertEquals(0, wire.sent.size());
    assertEquals("02000000" + "02020100" + "01010000", bench.one().object(Seen.PROPOSAL));
  }

  @Test
  void oneAssociationPerSession() {
    Bench bench = new Bench();
    Wires.Wire wire = Setup.querier(bench);
    for (int i = 0; i < 5; i++) {
      bench.send(Requests.of("0000000" + i, "b", Requests.FLOW, TransferAttributes.RELIABLE));
    }
    assertEquals(1, bench.wires.opened.size());
    assertEquals(
        List.of("00000000", "00000001", "00000002", "00000003", "00000004"),
        wire.seen().stream().skip(2).map(seen -> seen.object(Seen.DATA)).toList());
  }

  @Test
  void lossIsToldToTheApplication() {
    Bench bench = new Bench();
    Wires.Wire wire = Setup.querier(bench);
    wire.fail();
    bench.clock.advance(0);
    NetworkNotification note =
        bench.app.notes.stream()
            .filter(n -> n.kind() == NetworkNotification.Kind.COMMUNICATION_FAILURE)
            .findFirst()
            .orElseThrow();
    assertEquals(Requests.FLOW, note.mri());
    assertEquals(Requests.SID, note.session());
    bench.take();
    bench.send(Requests.of("0a0b0c0d", "b", Requests.FLOW, TransferAttributes.RELIABLE));
    bench.clock.advance(0);
    Wires.Wire again = answer(bench);
    assertEquals(List.of(2, 3), again.seen().stream().map(Seen::type).toList());
  }

  @Test
  void aPeerThatIsNoLongerAuthorisedTakesTheQueriersStatesWithIt() {
    Bench bench = new Bench();
    Wires.Wire wire = Setup.querier(bench);
    bench.send(Sessions.reliable(1));
    wire.receive(Peer.reused(bench.one()));
    bench.app.notes.clear();
    wire.revoke();
    List<NetworkNotification> changes =
        bench.app.notes.stream()
            .filter(n -> n.kind() == NetworkNotification.Kind.NODE_AUTHORISATION_CHANGE)
            .toList();
    assertEquals(2, changes.size(), "one for each session: " + bench.app.notes);
    for (NetworkNotification change : changes) {
      assertEquals(Requests.FLOW, change.mri());
      assertEquals(Bench.address("10.0.2.7"), change.peer().address());
      assertEquals("no longer an authorised peer", change.reason());
    }
    assertEquals(2, bench.counters.get(Counter.STATE_REVOKED));
    assertEquals(0, bench.counters.snapshot().get("states-querying"));
    bench.clock.advance(100_000);
    assertEquals(List.of(), bench.take(), "no handshake begins by itself");
    assertEquals(0, bench.clock.pending());
  }

  @Test
  void aPeerThatIsNoLongerAuthorisedTakesTheRespondersStateWithIt() {
    Bench bench = new Bench();
    Wires.Wire wire = Setup.responder(bench);
    wire.revoke();
    assertTrue(bench.app.kinds().contains(NetworkNotification.Kind.NODE_AUTHORISATION_CHANGE));
    assertEquals(0, bench.counters.snapshot().get("states-responding"));
    bench.direct("10.0.1.7", "10.0.1.1", Peer.data("0a0b0c0d"));
    assertEquals("2:5/0", bench.one().error());
    bench.clock.advance(100_000);
    assertEquals(0, bench.clock.pending());
  }

  @Test
  void aPeerThatIsRefusedIsNotTriedAgain() {
    Bench bench = new Bench();
    bench.send(Requests.reliable());
    bench.direct(
        "10.0.2.7", "10.0.2.1", Peer.responseWithOffer(bench.one().object(Seen.QUERY_COOKIE)));
    bench.wires.opened.get(0).revoke();
    assertEquals(List.of("a NO_ASSOCIATION"), bench.app.statuses);
    assertEquals(1, bench.counters.get(Counter.STATE_REVOKED));
    bench.clock.advance(100_000);
    assertEquals(List.of(), bench.take());
    assertEquals(0, bench.clock.pending());
  }

  @Test
  void anAlteredProposalEndsTheState() {
    Bench bench = new Bench();
    HandshakeTest.responder(bench);
    bench.clock.advance(1000);
    bench.query(Peer.QUERY_ASSOCIATION);
    String confirm = Setup.firstConfirm(bench.one());
    Wires.Wire wire = Setup.accepted(bench);
    wire.receive(
        message(
            Peer.CONFIRM_HEADER, confirm.substring(16).replace(Peer.PROPOSAL, Peer.PROPOSAL_TLS)));
    assertTrue(wire.closed);
    bench.direct("10.0.1.7", "10.0.1.1", Peer.data("0a0b0c0d"));
    assertEquals("2:5/0", bench.one().error());
  }

  @Test
  void aConnectionThatIsRefusedEndsTheState() {
    Bench bench = new Bench();
    bench.send(Requests.reliable());
    for (int i = 0; i < 2; i++) { // it is tried once more
      bench.direct(
          "10.0.2.7", "10.0.2.1", Peer.responseWithOffer(bench.one().object(Seen.QUERY_COOKIE)));
      bench.wires.opened.get(i).fail();
    }
    assertEquals(List.of("a NO_ASSOCIATION"), bench.app.statuses);
    bench.clock.advance(100_000);
    assertEquals(List.of(), bench.take());
    assertEquals(0, bench.clock.pending());
  }

  @Test
  void anUnusableProtocolIsNotUsed() {
    Bench bench = new Bench();
    bench.send(Requests.reliable());
    String response = Peer.responseWithOffer(bench.one().object(Seen.QUERY_COOKIE));
    bench.direct(
        "10.0.2.7", "10.0.2.1", response.replace("01000200" + "3333", "01000280" + "3333"));
    bench.clock.advance(100_000);
    assertEquals(0, bench.wires.opened.size());
    assertEquals(List.of("a NO_ASSOCIATION"), bench.app.statuses);
  }

  @Test
  void theOfferIsForgotten() {
    Bench bench = new Bench();
    bench.send(Requests.reliable());
    String response =
        Peer.responseWithOffer(bench.one().object(Seen.QUERY_COOKIE))
            .replace(Peer.EAST, Peer.EAST.replace("00007530", "0002bf20")); // valid for 180 s
    bench.direct("10.0.2.7", "10.0.2.1", response);
    bench.clock.advance(29_900); // the connection does not open
    assertFalse(bench.wires.opened.get(0).closed);
    assertEquals(List.of(), bench.take());
    bench.clock.advance(200);
    assertTrue(bench.wires.opened.get(0).closed);
    assertEquals(List.of("a NO_ASSOCIATION"), bench.app.statuses);
    bench.direct("10.0.2.7", "10.0.2.1", response);
    assertEquals(1, bench.wires.opened.size(), "the old offer is void");
  }

  private static void assertDmode(String query) {
    Bench bench = new Bench();
    Wires.Wire wire = Setup.responder(bench);
    bench.query(query.replace(Peer.SID, Peer.OTHER_SID));
    assertEquals(0, wire.sent.size());
    assertTrue(bench.one().objects().containsKey(Seen.PROPOSAL), "a full handshake");
  }

  /** The peer in the east answers the Query that was sent last; the connection opens. */
  private static Wires.Wire answer(Bench bench) {
    List<Seen> queries = bench.take();
    String cookie = queries.get(queries.size() - 1).object(Seen.QUERY_COOKIE);
    bench.direct("10.0.2.7", "10.0.2.1", Peer.responseWithOffer(cookie));
    Wires.Wire wire = bench.wires.opened.get(bench.wires.opened.size() - 1);
    wire.connect();
    bench.clock.advance(0);
    return wire;
  }
}
