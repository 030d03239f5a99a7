// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.netserv.gist.conformance.Bytes.message;
import static org.netserv.gist.conformance.Bytes.object;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.NetworkNotification.Kind;
import org.netserv.gist.TransferAttributes;

/** Events around a Confirm by an association that come when no machine waits for them. */
class UnexpectedEventsTest {
  private final Bench bench = new Bench();

  /** Answers all Queries since the last call as the peer in the east, with an offer. */
  private void answer() {
    for (Seen query : bench.take()) {
      bench.direct(
          "10.0.2.7",
          "10.0.2.1",
          message(
              Peer.RESPONSE_HEADER,
              Peer.MRI_UP,
              object("0001", query.object(Seen.SID)),
              Peer.EAST,
              object("0005", query.object(Seen.QUERY_COOKIE)),
              Peer.RESPONDER_COOKIE,
              Peer.PROPOSAL,
              Peer.CONFIGURATION_PORT));
    }
  }

  private static List<Integer> types(Wires.Wire wire) {
    return wire.seen().stream().map(Seen::type).toList();
  }

  /**
   * Returns an Error by an association about a message of session {@link Peer#SID}: no NLI, D=0.
   */
  private static String error(String code, String type) {
    return message(
        Peer.ERROR_HEADER,
        object(
            "0009",
            code
                + "c000 04 00 0120000d 7fc6"
                + type
                + "80"
                + Peer.SID.substring(8)
                + Peer.MRI.substring(8)));
  }

  private long failures() {
    return bench.app.kinds().stream().filter(Kind.COMMUNICATION_FAILURE::equals).count();
  }

  @Test
  void theAssociationFailsWhileConfirmsWait() {
    for (int i = 0; i < 3; i++) {
      bench.send(Sessions.reliable(i));
    }
    answer();
    bench.wires.opened.get(0).fail();
    answer(); // each session has begun again
    assertEquals(2, bench.wires.opened.size());
    Wires.Wire second = bench.wires.opened.get(1);
    second.connect();
    assertEquals(List.of(2, 2, 2, 3, 3, 3), types(second));
    assertEquals(List.of("0 SENT", "1 SENT", "2 SENT"), bench.app.statuses);
    assertEquals(0, failures(), "nothing had left");
  }

  @Test
  void aResponseComesTwiceBeforeTheConnectionIsThere() {
    bench.send(Requests.reliable());
    String response = Peer.responseWithOffer(bench.one().object(Seen.QUERY_COOKIE));
    bench.direct("10.0.2.7", "10.0.2.1", response);
    bench.direct("10.0.2.7", "10.0.2.1", response);
    assertEquals(1, bench.wires.opened.size());
    bench.wires.opened.get(0).connect();
    assertEquals(List.of(2, 2, 3), types(bench.wires.opened.get(0)), "one message, two Confirms");
  }

  /**
   * Each Error in ESTABLISHED, by the association. Checks the messages that are sent then and the
   * application's news.
   */
  @Test
  void noRoutingStateAboutDataSendsItAgain() {
    for (String code : List.of("02 0005 00", "02 0004 00")) {
      UnexpectedEventsTest test = new UnexpectedEventsTest();
      Wires.Wire wire = Setup.querier(test.bench);
      wire.receive(error(code, "03"));
      assertEquals(0, test.bench.one().type(), "a Query");
      assertEquals(0, test.failures());
      assertEquals(1, test.bench.counters.get(Counter.DATA_RESENT));
    }
  }

  @Test
  void aRefusedConfirmBeginsAgainOnceWhateverFollows() {
    Wires.Wire wire = Setup.querier(bench);
    wire.receive(error("02 0009 02", "02"));
    Seen query = bench.one();
    wire.receive(error("02 0009 02", "02"));
    wire.receive(error("02 0005 00", "03"));
    assertEquals(List.of(), bench.take(), "one Query is enough");
    int before = wire.sent.size();
    wire.receive(Peer.reused(query));
    assertEquals(List.of(2, 3), types(wire).subList(before, wire.sent.size()));
    assertEquals(Peer.PAYLOAD.replace(" ", ""), wire.seen().get(before + 1).object(Seen.DATA));
    assertEquals(List.of("a SENT"), bench.app.statuses, "told once");
    assertEquals(0, failures());
  }

  /** Two messages and one Error. The first message may have arrived, so its loss is told. */
  @Test
  void oneErrorOfTwoIsNoProof() {
    Wires.Wire wire = Setup.querier(bench);
    bench.send(Requests.of("0a0b0c0d", "b", Requests.FLOW, TransferAttributes.RELIABLE));
    wire.receive(error("02 0005 00", "03"));
    Seen query = bench.one();
    assertEquals(0, failures(), "another Error may come");
    int before = wire.sent.size();
    wire.receive(Peer.reused(query));
    assertEquals(List.of(2), types(wire).subList(before, wire.sent.size()), "a Confirm alone");
    assertEquals(1, failures());
    assertEquals(0, bench.counters.get(Counter.DATA_RESENT));
  }

  @Test
  void anErrorAboutARefreshedConfirmIsIgnored() {
    Wires.Wire wire = Setup.querier(bench);
    bench.clock.advance(23_000);
    Seen refresh = bench.take().get(0);
    wire.receive(Peer.reused(refresh));
    wire.receive(error("02 0009 02", "02"));
    assertEquals(List.of(), bench.take(), "the peer has state of the first Confirm");
    assertEquals(0, bench.counters.get(Counter.CONFIRM_REFUSED));
    assertTrue(bench.counters.get(Counter.UNEXPECTED_EVENT) > 0);
  }

  @Test
  void anErrorByAnAssociationThatIsNotOfTheSessionIsIgnored() {
    Setup.querier(bench);
    Wires.Wire stranger = Setup.accepted(bench);
    stranger.receive(error("02 0005 00", "03"));
    assertEquals(List.of(), bench.take());
    assertEquals(1, bench.counters.get(Counter.ERROR_UNMATCHED));
  }

  /** An Error by datagram is no proof about messages that went by the association. */
  @Test
  void noRoutingStateByDatagramTellsTheLoss() {
    Setup.querier(bench);
    bench.direct("10.0.2.7", "10.0.2.1", Peer.error("02 0005 00", "0120000d 7fc60380"));
    answer();
    assertEquals(1, failures());
    assertEquals(0, bench.counters.get(Counter.DATA_RESENT));
  }

  @Test
  void theAssociationBreaksAfterTheMessagesWereTakenBack() {
    Wires.Wire wire = Setup.querier(bench);
    wire.receive(error("02 0005 00", "03"));
    wire.fail();
    answer();
    Wires.Wire second = bench.wires.opened.get(1);
    second.connect();
    assertEquals(List.of(2, 3), types(second));
    assertEquals(0, failures());
  }

  // ---- other implementations that choose differently

  /** A peer answers a session without an offer by an existing association. */
  @Test
  void aSessionByDatagramsIsAnsweredByTheAssociation() {
    Wires.Wire wire = Setup.querier(bench);
    int before = wire.sent.size();
    bench.send(Sessions.unreliable(1));
    wire.receive(Peer.reused(bench.one()));
    assertEquals(List.of(2, 3), types(wire).subList(before, wire.sent.size()));
    assertEquals(List.of(), bench.take());
  }

  /** A peer confirms by datagram a session that was answered by an association. */
  @Test
  void aConfirmByDatagramOfASessionThatWasAnsweredByTheAssociation() {
    Wires.Wire wire = Setup.responder(bench);
    bench.query(Peer.QUERY_ASSOCIATION.replace(Peer.SID, Peer.OTHER_SID));
    String cookie = wire.seen().get(0).object(Seen.RESPONDER_COOKIE);
    bench.direct("10.0.1.7", "10.0.1.1", Peer.confirm(cookie).replace(Peer.SID, Peer.OTHER_SID));
    bench.direct("10.0.1.7", "10.0.1.1", Peer.data("0a0b0c0d").replace(Peer.SID, Peer.OTHER_SID));
    assertEquals(List.of("0a0b0c0d"), bench.app.payloads());
    assertEquals(List.of(), bench.take());
  }
}
