// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.netserv.gist.conformance.Bench.address;
import static org.netserv.gist.conformance.Bytes.message;
import static org.netserv.gist.conformance.Bytes.object;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.netserv.gist.SendRequest;
import org.netserv.gist.SiiHandle;
import org.netserv.gist.TransferAttributes;
import org.netserv.gist.port.OutboundDatagram;

/** Data in its three encapsulations (RFC 5971 sections 4.3.3, 5.1 and 7.1.4). */
class DataTest {
  private static final String NLI = object("0002", "04 ?? 40 00 00007530 cafe0001 0a000201");

  @Test
  void dmodeDataCarriesTheNli() {
    Bench bench = new Bench();
    Setup.unreliableQuerier(bench);
    bench.send(Requests.of("0a0b0c0d", "b", Requests.FLOW, TransferAttributes.UNRELIABLE));
    OutboundDatagram data = bench.sent.get(0);
    Bytes.assertLike(
        Bytes.MAGIC
            + message("01 ?? 7fc6 03 80", Peer.MRI, Peer.SID, NLI, object("0008", "0a0b0c0d")),
        data.payload());
    assertEquals(address("10.0.2.7"), data.destination());
    assertEquals(-1, data.routerAlert());
    assertTrue(bench.app.statuses.contains("b SENT"));
  }

  @Test
  void associationDataCarriesNoNli() {
    Bench bench = new Bench();
    Wires.Wire wire = Setup.querier(bench);
    Bytes.assertLike(message("01 ?? 7fc6 03 80", Peer.MRI, Peer.SID, Peer.DATA), wire.sent.get(1));
    wire.receive(message(Peer.DATA_HEADER, Peer.MRI_UP, Peer.SID, Peer.EAST, Peer.DATA));
    Fault fault = Fault.of(wire.seen().get(2));
    assertEquals("2:9/3", fault.code());
    assertEquals(List.of("3:00020000"), fault.infos());
  }

  @Test
  void statelessDataIsQmode() {
    Bench bench = new Bench();
    bench.send(Requests.of(Requests.FLOW, TransferAttributes.STATELESS));
    OutboundDatagram data = bench.sent.get(0);
    Bytes.assertLike(
        Bytes.MAGIC + message("01 ?? 7fc6 83 00", Peer.MRI, Peer.SID, NLI, Peer.DATA),
        data.payload());
    assertEquals(address("10.0.9.9"), data.destination());
    assertEquals(270, data.destinationPort());
    assertEquals(Bench.ROUTER_ALERT, data.routerAlert());
    bench.clock.advance(100_000);
    assertEquals(1, bench.sent.size(), "no state, no repetition");
  }

  @Test
  void statelessDataIsDeliveredWithAFlag() {
    Tuning tuning = new Tuning();
    tuning.statelessData = true;
    Bench bench = new Bench(tuning);
    bench.query(message("01 20 7fc6 83 00", Peer.MRI, Peer.SID, Peer.WEST, Peer.DATA));
    assertEquals(List.of("taken"), bench.verdicts);
    assertEquals(1, bench.app.received.size());
    assertFalse(bench.app.received.get(0).validated());
    assertEquals(List.of(), bench.take());
  }

  @Test
  void explicitlyRouted() {
    Bench bench = new Bench();
    SiiHandle peer = SiiHandle.of(Bytes.of("eeff0011"), address("10.0.2.7"), 2);
    bench.send(Requests.to(peer));
    OutboundDatagram data = bench.sent.get(0);
    Bytes.assertLike(
        Bytes.MAGIC + message("01 ?? 7fc6 03 a0", Peer.MRI, Peer.SID, NLI, Peer.DATA),
        data.payload());
    assertEquals(address("10.0.2.7"), data.destination());
    assertEquals(1, bench.sent.size(), "no Query");
    bench.sent.clear();

    bench.direct(
        "10.0.1.7",
        "10.0.1.1",
        message("01 20 7fc6 03 a0", Peer.MRI, Peer.SID, Peer.WEST, Peer.DATA));
    assertEquals(List.of(), bench.take(), "not compared with the table");
    assertEquals(1, bench.app.received.size());
    assertFalse(bench.app.received.get(0).validated());
    SiiHandle west = SiiHandle.of(Bytes.of("aabbccdd"), address("10.0.1.7"), 1);
    assertEquals(west, bench.app.received.get(0).peer());
    bench.direct(
        "10.0.1.7",
        "10.0.1.1",
        message("01 20 7fc6 03 a0", Peer.MRI, Peer.OTHER_SID, Peer.WEST, Peer.DATA));
    assertEquals(west, bench.app.received.get(1).peer(), "one handle for all sessions");
  }

  /**
   * Data of a session without state, by an association. The sender is the peer of the association's
   * handshake.
   */
  @Test
  void explicitlyRoutedByAssociation() {
    Bench bench = new Bench();
    Wires.Wire wire = Setup.responder(bench);
    SiiHandle west = SiiHandle.of(Bytes.of("aabbccdd"), address("10.0.1.7"), 1);
    int before = bench.app.received.size();
    wire.receive(message("01 20 7fc6 03 a0", Peer.MRI, Peer.OTHER_SID, Peer.DATA));
    bench.clock.advance(0);
    assertEquals(before + 1, bench.app.received.size());
    assertFalse(bench.app.received.get(before).validated());
    assertEquals(west, bench.app.received.get(before).peer());
    assertEquals(TransferAttributes.RELIABLE, bench.app.received.get(before).attributes());
    assertEquals(0, wire.sent.size(), "not refused as delivered incorrectly");

    bench.send(Requests.to(west));
    bench.clock.advance(0);
    assertEquals(1, wire.sent.size(), "by the association that there is");
    Bytes.assertLike(message("01 ?? 7fc6 03 a0", Peer.MRI, Peer.SID, Peer.DATA), wire.sent.get(0));
  }

  @Test
  void hopCountZeroFromAnApplicationIsRefused() {
    Bench bench = new Bench();
    assertThrows(IllegalArgumentException.class, () -> bench.send(Requests.hops(0)));
    assertThrows(IllegalArgumentException.class, () -> bench.send(Requests.hops(256)));
    assertEquals(List.of(), bench.take());
    bench.send(Requests.hops(7));
    assertEquals(7, bench.one().hops());
  }

  @Test
  void moreThan512BytesOpenAnAssociation() {
    assertLimit(new Bench(), 440); // 8 header, 20 MRI, 20 SID, 20 NLI, 4 + 440 data
  }

  @Test
  void aKnownMtuMovesTheLimit() {
    Bench bench = new Bench();
    bench.mtus.put(2, 400);
    assertLimit(bench, 400 - 64 - 72);
  }

  @Test
  void whatDidNotFitTheWayMovesItToo() {
    Bench bench = new Bench();
    Setup.unreliableQuerier(bench);
    bench.send(request(440));
    bench.tooBig(bench.sent.get(0), 400);
    bench.take();
    bench.send(request(400 - 64 - 72));
    assertEquals(3, bench.one().type());
    bench.send(request(400 - 64 - 72 + 4));
    assertTrue(bench.one().objects().containsKey(Seen.PROPOSAL));
  }

  @Test
  void messageTooLargeOpensAnAssociation() {
    Bench bench = new Bench();
    bench.send(
        Requests.of("01020304".repeat(80), "a", Requests.FLOW, TransferAttributes.UNRELIABLE));
    bench.direct("10.0.2.7", "10.0.2.1", Peer.tooLarge(bench.one(), 200));
    bench.clock.advance(500);
    Seen next = bench.take().get(0);
    assertTrue(next.objects().containsKey(Seen.PROPOSAL), "it wants an association");
    assertFalse(next.objects().containsKey(Seen.DATA));
  }

  @Test
  void reliableMessagesComeOnceAndInOrder() {
    Bench bench = new Bench();
    Wires.Wire wire = Setup.responder(bench);
    List<String> sent = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      sent.add(String.format("%08x", i));
      wire.receive(Peer.associationData(sent.get(i)));
    }
    assertEquals(sent, bench.app.payloads());
    assertTrue(bench.app.received.get(0).attributes().reliable());
    assertTrue(bench.app.received.get(0).validated());
  }

  /**
   * The application of one session does everything wrong. The application of the other session gets
   * all its messages as they come.
   */
  @Test
  void aSessionThatIsNotServedHoldsUpNoOther() {
    Bench bench = new Bench();
    List<String> served = new ArrayList<>();
    List<Integer> sizes = new ArrayList<>();
    bench.app.onReceived =
        message -> {
          if (message.session().equals(Requests.SID)) {
            bench.node.sendMessage(Sessions.reliable(2)); // which nobody will answer
            throw new IllegalStateException("one of the test");
          }
          served.add(Bytes.hex(message.payload()));
        };
    Wires.Wire wire = Setup.responder(bench);
    bench.query(Peer.QUERY_ASSOCIATION.replace(Peer.SID, Peer.OTHER_SID));
    Seen response = wire.seen().get(0);
    wire.receive(
        message(
            Peer.CONFIRM_HEADER,
            Peer.MRI,
            Peer.OTHER_SID,
            Peer.WEST,
            object("0006", response.object(Seen.RESPONDER_COOKIE))));
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      String payload = String.format("%08x", i);
      expected.add(payload);
      wire.receive(Peer.associationData(payload));
      wire.receive(Peer.associationData(payload).replace(Peer.SID, Peer.OTHER_SID));
      sizes.add(served.size());
    }
    assertEquals(expected, served);
    assertEquals(IntStream.rangeClosed(1, 200).boxed().toList(), sizes, "each when it came");
  }

  /**
   * Verifies that Data with that payload is a datagram. With a word more, a Query asks for an
   * association.
   */
  private static void assertLimit(Bench bench, int payload) {
    Setup.unreliableQuerier(bench);
    bench.send(request(payload));
    assertEquals(3, bench.one().type());
    bench.send(request(payload + 4));
    bench.clock.advance(0);
    Seen query = bench.one();
    assertEquals(0, query.type());
    assertTrue(query.objects().containsKey(Seen.PROPOSAL));
  }

  private static SendRequest request(int payload) {
    return Requests.of("00".repeat(payload), "b", Requests.FLOW, TransferAttributes.UNRELIABLE);
  }
}
