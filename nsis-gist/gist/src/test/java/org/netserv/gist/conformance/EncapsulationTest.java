// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.netserv.gist.conformance.Bytes.message;
import static org.netserv.gist.conformance.Bytes.object;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Right messages in the wrong place (RFC 5971 sections 4.3.2, 4.4.6 and 5.5). */
class EncapsulationTest {
  @Test
  void queryByAnAssociation() {
    Bench bench = new Bench();
    Wires.Wire wire = Setup.responder(bench);
    wire.receive(Peer.QUERY);
    assertEquals(List.of("2:3/0"), wire.seen().stream().map(Seen::error).toList());
    assertEquals(1, bench.app.queries.size(), "that of the handshake");
  }

  @Test
  void confirmInDmode() {
    Bench bench = new Bench();
    bench.query(Peer.QUERY_ASSOCIATION);
    bench.direct("10.0.1.7", "10.0.1.1", Setup.firstConfirm(bench.one()));
    assertEquals("2:3/0", bench.one().error());
    bench.direct("10.0.1.7", "10.0.1.1", Peer.data("0a0b0c0d"));
    assertEquals("2:5/0", bench.one().error(), "there is no state");
  }

  @Test
  void helloInDmode() {
    Bench bench = new Bench();
    bench.direct("10.0.1.7", "10.0.1.1", message(Peer.HELLO_HEADER, object("000a", "00000000")));
    assertEquals("2:3/0", bench.one().error());
  }

  @Test
  void dataByAnAssociationOfAnotherFlow() {
    Bench bench = new Bench();
    Wires.Wire wire = Setup.responder(bench);
    String wrong = Peer.associationData("0a0b0c0d").replace(Peer.SID, Peer.OTHER_SID);
    wire.receive(wrong);
    assertEquals("2:4/0", wire.seen().get(0).error());
    assertEquals(List.of(), bench.app.received);
  }

  @Test
  void theOrderOfTheChecks() {
    Bench bench = new Bench();
    Wires.Wire wire = Setup.responder(bench);
    String wrong = Peer.associationData("0a0b0c0d").replace(Peer.SID, Peer.OTHER_SID);
    wire.receive(wrong); // neither bound to this association nor known at all
    assertEquals("2:4/0", wire.seen().get(0).error());
    wire.receive(wrong.replace("7fc60380", "7fc603a0")); // the same with E=1
    assertEquals(1, wire.sent.size());
    assertEquals(List.of("0a0b0c0d"), bench.app.payloads());
    assertFalse(bench.app.received.get(0).validated());
  }

  @Test
  void dataWithoutRoutingState() {
    Bench strict = new Bench();
    strict.direct("10.0.1.7", "10.0.1.1", Peer.data("0a0b0c0d"));
    assertEquals("2:5/0", strict.one().error());
    assertEquals(List.of(), strict.app.received);

    Tuning tuning = new Tuning();
    tuning.statelessData = true;
    Bench open = new Bench(tuning);
    open.direct("10.0.1.7", "10.0.1.1", Peer.data("0a0b0c0d"));
    assertEquals(List.of(), open.take());
    assertEquals(List.of("0a0b0c0d"), open.app.payloads());
    assertFalse(open.app.received.get(0).validated());
  }

  @Test
  void directlyAddressedUnknownApplication() {
    Bench bench = new Bench();
    bench.direct("10.0.1.7", "10.0.1.1", Peer.data("0a0b0c0d").replace("7fc6", "7ff0"));
    assertEquals("4:6/0", bench.one().error());
    Wires.Wire wire = Setup.responder(bench);
    wire.receive(Peer.associationData("0a0b0c0d").replace("7fc6", "7ff0"));
    assertEquals("4:6/0", wire.seen().get(0).error());
  }
}
