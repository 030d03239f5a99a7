// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.netserv.gist.conformance.Bytes.message;
import static org.netserv.gist.conformance.Bytes.object;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.TransferAttributes;

/** Bytes that once failed beside another implementation of GIST. */
class ForeignPeerTest {
  private static final String CONFIRM = "01 ?? 7fc6 02 80";
  private static final String OWN_NLI = object("0002", "04 ?? 40 00 00007530 cafe0001 0a000201");

  /**
   * Returns the Confirm of a session. The proposal comes with our hold time, 30,000 ms, and no
   * options.
   */
  private static String confirm(String session, String proposal) {
    return message(
        CONFIRM,
        Peer.MRI,
        session,
        OWN_NLI,
        Peer.RESPONDER_COOKIE,
        proposal,
        "00040002 00000000 00007530");
  }

  /** Returns the Response of the peer in the east, with an offer, to that Query. */
  private static String response(Seen query, String proposal, String configuration) {
    return message(
        Peer.RESPONSE_HEADER,
        Peer.MRI_UP,
        object("0001", query.object(Seen.SID)),
        Peer.EAST,
        object("0005", query.object(Seen.QUERY_COOKIE)),
        Peer.RESPONDER_COOKIE,
        proposal,
        configuration);
  }

  /** Sessions begin before there is an association. Each Confirm has configuration data. */
  @Test
  void everyConfirmThatEchoesAProposalHasTheHoldTime() {
    Bench bench = new Bench();
    for (int i = 0; i < 3; i++) {
      bench.send(Sessions.reliable(i));
    }
    for (Seen query : bench.take()) {
      bench.direct("10.0.2.7", "10.0.2.1", response(query, Peer.PROPOSAL, Peer.CONFIGURATION_PORT));
    }
    assertEquals(1, bench.wires.opened.size(), "all by one association");
    Wires.Wire wire = bench.wires.opened.get(0);
    wire.connect();
    assertEquals(List.of(2, 2, 2, 3, 3, 3), wire.seen().stream().map(Seen::type).toList());
    for (int i = 0; i < 3; i++) {
      Bytes.assertLike(confirm(Sessions.of(i), Peer.PROPOSAL), wire.sent.get(i));
    }
  }

  @Test
  void aRepeatedResponseIsConfirmedWithTheHoldTime() {
    Bench bench = new Bench();
    bench.send(Requests.reliable());
    String response = response(bench.one(), Peer.PROPOSAL, Peer.CONFIGURATION_PORT);
    bench.direct("10.0.2.7", "10.0.2.1", response);
    Wires.Wire wire = bench.wires.opened.get(0);
    wire.connect();
    bench.direct("10.0.2.7", "10.0.2.1", response);
    assertEquals(List.of(2, 3, 2), wire.seen().stream().map(Seen::type).toList());
    Bytes.assertLike(confirm(Peer.SID, Peer.PROPOSAL), wire.sent.get(2));
  }

  /**
   * A Response by an association has no offer. A peer that sends an offer nevertheless gets it
   * back.
   */
  @Test
  void anOfferInAResponseByAnAssociationIsEchoedToo() {
    Bench bench = new Bench();
    Wires.Wire wire = Setup.querier(bench);
    int before = wire.sent.size();
    bench.send(Sessions.reliable(1));
    wire.receive(response(bench.one(), Peer.PROPOSAL, Peer.CONFIGURATION_PORT));
    Bytes.assertLike(confirm(Sessions.of(1), Peer.PROPOSAL), wire.sent.get(before));
    assertEquals(1, bench.wires.opened.size());
  }

  /** A Confirm of a later session may have configuration data: we take it. */
  @Test
  void aLaterConfirmWithConfigurationDataIsTaken() {
    Bench bench = new Bench();
    bench.query(Peer.QUERY_ASSOCIATION);
    bench.query(Peer.QUERY_ASSOCIATION.replace(Peer.SID, Peer.OTHER_SID));
    List<Seen> responses = bench.take();
    Wires.Wire wire = Setup.accepted(bench);
    wire.receive(Setup.firstConfirm(responses.get(0)));
    wire.receive(Setup.firstConfirm(responses.get(1)).replace(Peer.SID, Peer.OTHER_SID));
    wire.receive(Peer.associationData("0a0b0c0d").replace(Peer.SID, Peer.OTHER_SID));
    assertEquals(List.of("0a0b0c0d"), bench.app.payloads());
    assertEquals(0, wire.sent.size());
  }

  // ---- Errors

  /** No Routing State about D-mode Data, to the last byte: C-flag 0, and nothing after the MRI. */
  @Test
  void anErrorHasNoComment() {
    Bench bench = new Bench();
    bench.direct("10.0.1.7", "10.0.1.1", Peer.data("0a0b0c0d"));
    Bytes.assertLike(
        Bytes.MAGIC
            + message(
                "01 ?? 0000 04 80",
                object("0002", "04 ?? 40 00 ???????? cafe0001 0a000101"),
                object(
                    "0009",
                    """
                    02 0005 00                # Protocol-Error, No Routing State
                    d000 04 00                # S M D; 4 words of MRI, no additional information
                    01200011 7fc60380         # the header of the Data
                    000102030405060708090a0b0c0d0e0f
                    00004000 0a000009 0a000909 20200000
                    """)),
        bench.sent.get(0).payload());
  }

  /** An Error about a message that could not be read, by an association, has no comment either. */
  @Test
  void anErrorAboutBytesHasNoComment() {
    Bench bench = new Bench();
    Wires.Wire wire = Setup.responder(bench);
    wire.receive(message(Peer.DATA_HEADER, Peer.MRI, Peer.SID)); // no NSLP data
    Bytes.assertLike(
        message(
            "01 ?? 0000 04 80",
            object(
                "0009",
                """
                02 0009 02                # Protocol-Error, Missing Object
                c000 04 01                # S M; 4 words of MRI, one field
                0120000a 7fc60380
                000102030405060708090a0b0c0d0e0f
                00004000 0a000009 0a000909 20200000
                00030001 00080000         # object type: 8
                """)),
        wire.sent.get(0));
  }

  @Test
  void anErrorHasACommentWhereTheSettingAsksForIt() {
    Tuning tuning = new Tuning();
    tuning.errorComments = true;
    Bench bench = new Bench(tuning);
    bench.direct("10.0.1.7", "10.0.1.1", Peer.data("0a0b0c0d"));
    String error = bench.one().object(Seen.ERROR);
    assertEquals("f000", error.substring(8, 12), "S M C D");
    assertTrue(error.endsWith("6e6f20726f7574696e6720737461746500000000"), error);
  }

  // ---- Data by datagram where the association is TLS

  /** Returns a bench with a TLS association to the peer in the east for its session. */
  private static Bench secured(TransferAttributes asked) {
    Tuning both = new Tuning();
    both.stacks = List.of(Wires.TLS, Wires.TCP);
    Bench bench = new Bench(both);
    bench.send(Requests.of(Requests.FLOW, asked));
    bench.direct(
        "10.0.2.7",
        "10.0.2.1",
        response(
            bench.one(),
            Peer.PROPOSAL_TLS,
            object("0004", "02 000000 00007530 01 01 02 00 2222 0000 01 02 02 00 3333 0000")));
    Wires.Wire wire = bench.wires.opened.get(0);
    assertEquals(Wires.TLS, wire.stack());
    wire.connect();
    assertEquals(List.of("a SENT"), bench.app.statuses);
    return bench;
  }

  /** Data upstream in D-mode of the peer in the east. */
  private static final String DATA_UP =
      message(Peer.DATA_HEADER, Peer.MRI_UP, Peer.SID, Peer.EAST, object("0008", "0a0b0c0d"));

  @Test
  void dataByDatagramInASessionOverTlsIsDelivered() {
    Bench bench = secured(TransferAttributes.RELIABLE);
    bench.direct("10.0.2.7", "10.0.2.1", DATA_UP);
    assertEquals(List.of("0a0b0c0d"), bench.app.payloads());
    assertEquals(TransferAttributes.UNRELIABLE, bench.app.received.get(0).attributes());
    assertEquals("", bench.app.received.get(0).peerName());
    assertTrue(bench.app.received.get(0).validated());
    assertEquals(List.of(), bench.take());
  }

  @Test
  void dataByDatagramIsRefusedWhereTheApplicationAskedForTls() {
    Bench bench = secured(TransferAttributes.SECURE);
    bench.direct("10.0.2.7", "10.0.2.1", DATA_UP);
    assertEquals(List.of(), bench.app.received);
    assertEquals("2:3/0", bench.one().error());
    assertEquals(1, bench.counters.get(Counter.REFUSED_INSECURE));
    assertEquals(0, bench.counters.get(Counter.DROPPED_DATA));
  }

  @Test
  void dataByDatagramOfAnotherNodeIsDroppedAsBefore() {
    Bench bench = secured(TransferAttributes.RELIABLE);
    bench.direct("10.0.2.7", "10.0.2.1", DATA_UP.replace("eeff0011", "eeff0012"));
    assertEquals(List.of(), bench.app.received);
    assertEquals(List.of(), bench.take());
    assertEquals(1, bench.counters.get(Counter.DROPPED_DATA));
  }
}
