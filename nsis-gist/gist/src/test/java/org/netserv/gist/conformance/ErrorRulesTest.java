// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.netserv.gist.conformance.Bench.address;
import static org.netserv.gist.conformance.Bytes.message;
import static org.netserv.gist.conformance.Bytes.object;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.gist.port.OutboundDatagram;

/**
 * Tests the rules of Errors: their causes, destinations and contents (RFC 5971 section 5.6,
 * appendix A.4).
 */
class ErrorRulesTest {
  @Test
  void anErrorIsTheBytesOfTheRfc() {
    Bench bench = new Bench();
    String data = Peer.data("0a0b0c0d");
    bench.direct("10.0.1.7", 4711, "10.0.1.1", 270, data);
    OutboundDatagram error = bench.sent.get(0);
    assertEquals(address("10.0.1.7"), error.destination());
    assertEquals(-1, error.routerAlert());
    Seen seen = Seen.datagram(error.payload());
    Bytes.assertLike(
        Bytes.MAGIC
            + message(
                "01 ?? 0000 04 80", // C=0, Error, S=1 R=0 E=0, NSLPID 0
                object("0002", "04 ?? 40 00 ???????? cafe0001 0a000101"),
                object("0009", seen.object(Seen.ERROR))),
        error.payload());
    Bytes.assertLike(
        "02 0005 00" // Protocol-Error, No Routing State
            + "?? 00 04 00" // flags, 4 words of MRI, no additional information
            + data.substring(0, 16)
            + "000102030405060708090a0b0c0d0e0f"
            + "00004000 0a000009 0a000909 20200000",
        Bytes.of(seen.object(Seen.ERROR).substring(0, 96)));
    Fault fault = Fault.of(seen);
    assertEquals(true, fault.dmode());
    assertFalse(fault.qmode());
  }

  @Test
  void anErrorIsNeverAnswered() {
    Bench bench = new Bench();
    String error = Peer.error("02 0005 00", "01200016 7fc60380");
    for (String wrong :
        List.of(
            error, // about nothing we know
            message(
                "01 00 0000 04 80",
                Peer.EAST,
                object("0009", "02000500 00000000 0120 0000 7fc60380")),
            message("02 20 0000 04 80", Peer.EAST),
            message("01 20 0000 04 c0", Peer.EAST),
            message("01 20 0000 84 80", Peer.EAST),
            message("01 20 0000 04 80", Peer.EAST),
            message("01 20 0000 04 80", Peer.EAST, object("0009", "02")),
            message("01 20 0000 04 80", Peer.EAST, Peer.EAST, object("07d0", "01020304")),
            error.substring(0, 4) + "ffff" + error.substring(8),
            error.substring(0, 40))) {
      bench.direct("10.0.2.7", "10.0.2.1", wrong);
      assertEquals(List.of(), bench.take(), wrong);
    }
    Wires.Wire wire = Setup.responder(bench);
    wire.receive(message("01 20 0000 04 80", object("0009", "0200050000000000012000007fc60380")));
    assertEquals(0, wire.sent.size());
  }

  @Test
  void aResponseIsNeverAnswered() {
    Bench bench = new Bench();
    String response = Peer.response("a1a2a3a4a5a6a7a8");
    for (String wrong :
        List.of(
            response, // to a Query that nobody sent
            response.replaceFirst("^0120", "0100"),
            message("01 20 7fc6 01 a0", response.substring(16)), // E=1
            message(Peer.RESPONSE_HEADER, Peer.MRI_UP, Peer.SID, Peer.EAST), // no cookie
            message(Peer.RESPONSE_HEADER, response.substring(16), object("07d0", "01020304")))) {
      bench.direct("10.0.2.7", "10.0.2.1", wrong);
      assertEquals(List.of(), bench.take(), wrong);
    }
  }

  @Test
  void anErrorLeavesNoState() {
    Bench bench = new Bench();
    int timers = bench.clock.pending();
    bench.direct("10.0.1.7", "10.0.1.1", Peer.data("0a0b0c0d"));
    assertEquals("2:5/0", bench.one().error());
    assertEquals(timers, bench.clock.pending());
    bench.clock.advance(100_000);
    assertEquals(List.of(), bench.take(), "not sent again");
  }

  @Test
  void withoutAnNliToTheIpSourceIfItIsTheSenders() {
    String objects = Peer.MRI + Peer.SID + Peer.QUERY_COOKIE;
    Bench bench = new Bench();
    bench.intercept(
        "10.0.1.7",
        "10.0.9.9",
        61,
        Bench.ROUTER_ALERT,
        1,
        Bytes.MAGIC + message("01 20 7fc6 80 c0", objects));
    assertEquals(address("10.0.1.7"), bench.sent.get(0).destination());
    assertEquals("2:9/2", bench.one().error());

    bench.query(message("01 20 7fc6 80 40", objects)); // S=0: that would be the flow's source
    assertEquals(List.of(), bench.take());
  }

  @Test
  void backByTheSameAssociation() {
    Bench bench = new Bench();
    Wires.Wire first = Setup.responder(bench);
    Wires.Wire second = Setup.accepted(bench);
    first.receive(Peer.associationData("0a0b0c0d").replace(Peer.SID, Peer.OTHER_SID));
    assertEquals(1, first.sent.size());
    assertEquals(0, second.sent.size());
    assertEquals(List.of(), bench.take());
    Seen error = first.seen().get(0);
    assertEquals(List.of(Seen.ERROR), error.order(), "no NLI");
    assertFalse(Fault.of(error).dmode());
    assertEquals(0, error.nslpId());
  }

  @Test
  void theClassDoesNotMatter() {
    Bench bench = new Bench();
    Setup.unreliableQuerier(bench);
    bench.direct("10.0.2.7", "10.0.2.1", Peer.error("00 0005 00", "0120 0016 7fc6 0380"));
    assertEquals(0, bench.take().get(0).type(), "a Query");
  }
}
