// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.netserv.gist.conformance.Bytes.message;
import static org.netserv.gist.conformance.Bytes.object;

/** Handshakes by which a bench gets to where a test begins. */
final class Setup {
  private Setup() {}

  /** The peer in the west opened an association for the flow, as querier. */
  static Wires.Wire responder(Bench bench) {
    bench.query(Peer.QUERY_ASSOCIATION);
    String confirm = firstConfirm(bench.one());
    Wires.Wire wire = accepted(bench);
    wire.receive(confirm);
    bench.clock.advance(0);
    assertEquals(0, wire.sent.size(), "no answer to a Confirm");
    return wire;
  }

  /** A connection that the peer in the west opened. */
  static Wires.Wire accepted(Bench bench) {
    return bench.wires.accepted(Wires.TCP, Bench.address("10.0.1.1"), Bench.address("10.0.1.7"));
  }

  /** The first Confirm of an association, right for that Response. */
  static String firstConfirm(Seen response) {
    return message(
        Peer.CONFIRM_HEADER,
        Peer.MRI,
        Peer.SID,
        Peer.WEST,
        object("0006", response.object(Seen.RESPONDER_COOKIE)),
        object("0003", response.object(Seen.PROPOSAL)),
        Peer.HOLD);
  }

  /** We opened an association to the peer in the east; Confirm and payload have left. */
  static Wires.Wire querier(Bench bench) {
    bench.send(Requests.reliable());
    bench.direct(
        "10.0.2.7", "10.0.2.1", Peer.responseWithOffer(bench.one().object(Seen.QUERY_COOKIE)));
    bench.clock.advance(0);
    Wires.Wire wire = bench.wires.opened.get(bench.wires.opened.size() - 1);
    wire.connect();
    bench.clock.advance(0);
    return wire;
  }

  /** The peer in the east answered our Query in D-mode and was confirmed. */
  static void unreliableQuerier(Bench bench) {
    bench.send(Requests.unreliable());
    bench.direct("10.0.2.7", "10.0.2.1", Peer.response(bench.one().object(Seen.QUERY_COOKIE)));
    bench.take();
  }
}
