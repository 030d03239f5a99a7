// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.netserv.gist.conformance.Bench.address;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.gist.NetworkNotification;
import org.netserv.gist.RoutingStatus;
import org.netserv.gist.TransferAttributes;

/** State that one side has and the other has not (RFC 5971 section 4.4.6). */
class RecoveryTest {
  @Test
  void aLostConfirmIsRecovered() {
    Bench bench = new Bench();
    Setup.unreliableQuerier(bench); // the peer never saw the Confirm
    bench.send(Requests.of("0a0b0c0d", "b", Requests.FLOW, TransferAttributes.UNRELIABLE));
    String header = Bytes.hex(bench.sent.get(0).payload()).substring(8, 24);
    assertEquals(3, bench.one().type());
    bench.direct("10.0.2.7", "10.0.2.1", Peer.error("02 0005 00", header));
    Seen query = bench.one();
    assertEquals(0, query.type(), "from the beginning");
    bench.direct("10.0.2.7", "10.0.2.1", Peer.response(query.object(Seen.QUERY_COOKIE)));
    assertEquals(2, bench.take().get(0).type());
    bench.send(Requests.of("0a0b0c0e", "c", Requests.FLOW, TransferAttributes.UNRELIABLE));
    assertEquals("0a0b0c0e", bench.one().object(Seen.DATA));
  }

  @Test
  void noRoutingStateEndsTheRespondersState() {
    Bench bench = new Bench();
    HandshakeTest.responder(bench);
    bench.send(
        Requests.of("0a0b0c0d", "b", Requests.FLOW.flipped(), TransferAttributes.UNRELIABLE));
    assertEquals(address("10.0.1.7"), bench.sent.get(0).destination());
    String header = Bytes.hex(bench.sent.get(0).payload()).substring(8, 24);
    assertEquals(3, bench.one().type());
    bench.app.notes.clear();
    bench.direct(
        "10.0.1.7",
        "10.0.1.1",
        Peer.error("02 0005 00", header)
            .replace(Peer.EAST, Peer.WEST)
            .replace(Peer.MRI.substring(8), Peer.MRI_UP.substring(8)));
    assertTrue(
        bench.app.notes.stream()
            .anyMatch(
                note ->
                    note.kind() == NetworkNotification.Kind.ROUTING_STATUS_CHANGE
                        && note.status() == RoutingStatus.BAD),
        bench.app.notes.toString());
    assertEquals(List.of(), bench.take());
    bench.direct("10.0.1.7", "10.0.1.1", Peer.data("0a0b0c0d"));
    assertEquals("2:5/0", bench.one().error());
  }

  @Test
  void aPeerThatRestartedGetsANewAssociation() {
    Bench bench = new Bench();
    Wires.Wire wire = Setup.responder(bench);
    String restarted =
        Peer.QUERY_ASSOCIATION.replace("aabbccdd", "a0b0c0d0"); // same address, new identity
    bench.clock.advance(1000);
    bench.query(restarted);
    assertEquals(0, wire.sent.size());
    Seen response = bench.one();
    assertTrue(response.objects().containsKey(Seen.PROPOSAL));
    Wires.Wire second = Setup.accepted(bench);
    second.receive(Setup.firstConfirm(response).replace("aabbccdd", "a0b0c0d0"));
    second.receive(Peer.associationData("0a0b0c0d"));
    assertEquals(List.of("0a0b0c0d"), bench.app.payloads());
    wire.receive(Peer.associationData("0a0b0c0e"));
    assertEquals("2:4/0", wire.seen().get(0).error(), "the old one is no longer its");
  }
}
