// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.netserv.gist.conformance.Bench.address;
import static org.netserv.gist.conformance.Bytes.message;
import static org.netserv.gist.conformance.Bytes.object;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.gist.PeeringDecision;
import org.netserv.gist.port.OutboundDatagram;

/** Query, Response and Confirm in D-mode (RFC 5971 sections 4.4.1, 5.1 and 5.3.1). */
class HandshakeTest {
  @Test
  void theResponseIsTheBytesOfTheRfc() {
    Bench bench = new Bench();
    bench.query(Peer.QUERY);
    assertEquals(List.of("taken"), bench.verdicts);
    OutboundDatagram response = bench.sent.get(0);
    Seen seen = Seen.datagram(response.payload());
    Bytes.assertLike(
        Bytes.MAGIC
            + message(
                "01 ?? 7fc6 01 c0", // C=0, Response, S=1 R=1 E=0
                object("0000", "00 00 40 20 0a000009 0a000909 20 20 00 00"), // D=1
                object("0001", "000102030405060708090a0b0c0d0e0f"),
                object("0002", "04 ?? 40 00 00007530 cafe0001 0a000101"),
                object("0005", "a1a2a3a4 a5a6a7a8"),
                object("0006", seen.object(Seen.RESPONDER_COOKIE))),
        response.payload());
    assertEquals(1, bench.sent.size());
    assertTrue(seen.hops() > 0);
  }

  @Test
  void theResponseGoesToTheInterfaceAddress() {
    Bench bench = new Bench();
    bench.query(Peer.QUERY);
    OutboundDatagram response = bench.sent.get(0);
    assertEquals(address("10.0.1.7"), response.destination());
    assertEquals(address("10.0.1.1"), response.source());
    assertEquals(-1, response.routerAlert());
  }

  @Test
  void portsAreThoseOfTheQuery() {
    Bench bench = new Bench();
    bench.query(Peer.QUERY);
    assertEquals(Bench.SOURCE_PORT, bench.sent.get(0).destinationPort());
    assertTrue(List.of(0, 270).contains(bench.sent.get(0).sourcePort()));

    bench.sent.clear();
    bench.send(Requests.unreliable());
    OutboundDatagram query = bench.sent.get(0);
    bench.direct("10.0.2.7", "10.0.2.1", Peer.response(bench.one().object(Seen.QUERY_COOKIE)));
    assertEquals(query.sourcePort(), bench.sent.get(0).sourcePort());
    assertEquals(270, bench.sent.get(0).destinationPort());
    assertEquals(address("10.0.2.7"), bench.sent.get(0).destination());
  }

  @Test
  void theConfirmIsTheBytesOfTheRfc() {
    Bench bench = new Bench();
    bench.send(Requests.unreliable());
    bench.direct("10.0.2.7", "10.0.2.1", Peer.response(bench.one().object(Seen.QUERY_COOKIE)));
    Bytes.assertLike(
        Bytes.MAGIC
            + message(
                "01 ?? 7fc6 02 80", // C=0, Confirm, S=1 R=0 E=0
                object("0000", "00 00 40 00 0a000009 0a000909 20 20 00 00"),
                object("0001", "000102030405060708090a0b0c0d0e0f"),
                object("0002", "04 ?? 40 00 00007530 cafe0001 0a000201"),
                object("0006", "b1b2b3b4 b5b6b7b8 b9babbbc")),
        withoutData(bench.sent.get(0).payload()));
  }

  @Test
  void aConfirmMakesState() {
    Bench bench = new Bench();
    responder(bench);
    bench.direct("10.0.1.7", "10.0.1.1", Peer.data("0a0b0c0d"));
    assertEquals(List.of("0a0b0c0d"), bench.app.payloads());
    assertTrue(bench.app.received.get(0).validated());
    assertEquals(List.of(), bench.take());
  }

  @Test
  void wrongResponsesChangeNothing() {
    Bench bench = new Bench();
    bench.send(Requests.unreliable());
    String cookie = bench.one().object(Seen.QUERY_COOKIE);
    String right = Peer.response(cookie);
    for (String wrong :
        List.of(
            Peer.response("a1a2a3a4a5a6a7a8a9aaabacadaeafb0"),
            Peer.response("a1a2a3a4"),
            right.replace(Peer.SID, Peer.OTHER_SID),
            right.replace("0a000909", "0a00090a"),
            right.replace(Peer.MRI_UP, Peer.MRI),
            right.replace("7fc6", "7fc7"))) {
      bench.direct("10.0.2.7", "10.0.2.1", wrong);
      assertEquals(List.of(), bench.take(), wrong);
    }
    assertEquals(List.of(), bench.app.statuses);
    bench.clock.advance(500);
    assertEquals(0, bench.one().type(), "still asking");
    bench.direct("10.0.2.7", "10.0.2.1", right);
    assertEquals(2, bench.take().get(0).type(), "the right one is confirmed");
  }

  @Test
  void aRepeatedResponseIsConfirmedAgain() {
    Bench bench = new Bench();
    bench.send(Requests.unreliable());
    String response = Peer.response(bench.one().object(Seen.QUERY_COOKIE));
    bench.direct("10.0.2.7", "10.0.2.1", response);
    Seen first = bench.take().get(0);
    bench.direct("10.0.2.7", "10.0.2.1", response);
    Seen second = bench.one();
    assertEquals(2, second.type());
    assertEquals(first.object(Seen.RESPONDER_COOKIE), second.object(Seen.RESPONDER_COOKIE));
    assertEquals(List.of("a SENT"), bench.app.statuses);
  }

  @Test
  void aDuplicateConfirmIsHarmless() {
    Bench bench = new Bench();
    String confirm = responder(bench);
    bench.direct("10.0.1.7", "10.0.1.1", confirm);
    bench.direct("10.0.1.7", "10.0.1.1", confirm);
    assertEquals(List.of(), bench.take());
    bench.direct("10.0.1.7", "10.0.1.1", Peer.data("0a0b0c0d"));
    assertEquals(List.of("0a0b0c0d"), bench.app.payloads());
  }

  @Test
  void everyQueryIsAnswered() {
    Bench bench = new Bench();
    bench.query(Peer.QUERY);
    bench.query(Peer.QUERY.replace("a1a2a3a4", "a1a2a3a5"));
    List<Seen> responses = bench.take();
    assertEquals(List.of(1, 1), responses.stream().map(Seen::type).toList());
    assertEquals("a1a2a3a4a5a6a7a8", responses.get(0).object(Seen.QUERY_COOKIE));
    assertEquals("a1a2a3a5a5a6a7a8", responses.get(1).object(Seen.QUERY_COOKIE));
  }

  @Test
  void aPayloadRidesInTheResponse() {
    Bench bench = new Bench();
    bench.app.decision = new PeeringDecision(true, Bytes.of("0e0f1011"));
    bench.query(
        message(Peer.QUERY_HEADER, Peer.MRI, Peer.SID, Peer.WEST, Peer.QUERY_COOKIE, Peer.DATA));
    assertEquals("0e0f1011", bench.one().object(Seen.DATA));
    assertEquals(Peer.PAYLOAD.replace(" ", ""), Bytes.hex(bench.app.queries.get(0).payload()));
  }

  @Test
  void theDistanceToThePeerIsReported() {
    Bench bench = new Bench();
    responder(bench); // sent with 64, came with 61
    bench.direct("10.0.1.7", "10.0.1.1", Peer.data("0a0b0c0d"));
    assertEquals(3, bench.app.queries.get(0).distance());
    assertEquals(3, bench.app.received.get(0).distance());
    bench.query(Peer.QUERY);
    assertEquals("03", bench.one().object(Seen.NLI).substring(2, 4), "upstream: the stored count");

    bench.send(Requests.unreliable());
    String response = Peer.response(bench.one().object(Seen.QUERY_COOKIE));
    bench.direct("10.0.2.7", "10.0.2.1", response.replace("04004000", "04054000"));
    bench.direct(
        "10.0.2.7",
        "10.0.2.1",
        message(Peer.DATA_HEADER, Peer.MRI_UP, Peer.SID, east(5), Peer.DATA));
    assertEquals(5, bench.app.received.get(1).distance());
  }

  @Test
  void sessionsAreIndependent() {
    Bench bench = new Bench();
    responder(bench);
    String attack = Peer.QUERY.replace(Peer.SID, Peer.OTHER_SID).replace("0a000107", "0a000166");
    bench.query(attack);
    String cookie = bench.one().object(Seen.RESPONDER_COOKIE);
    bench.direct(
        "10.0.1.102",
        "10.0.1.1",
        Peer.confirm(cookie).replace(Peer.SID, Peer.OTHER_SID).replace("0a000107", "0a000166"));
    bench.direct("10.0.1.7", "10.0.1.1", Peer.data("0a0b0c0d"));
    assertEquals(address("10.0.1.7"), bench.app.received.get(0).peer().address());
  }

  @Test
  void applicationsAreIndependent() {
    Bench bench = new Bench();
    App second = new App(0x7fc7, 0xffe0);
    bench.node.register(second);
    responder(bench);
    bench.direct("10.0.1.7", "10.0.1.1", Peer.data("0a0b0c0d").replace("7fc6", "7fc7"));
    assertEquals("2:5/0", bench.one().error(), "state of the other application is none");
    bench.direct("10.0.1.7", "10.0.1.1", Peer.data("0a0b0c0d"));
    assertEquals(List.of(), second.received);
    assertEquals(1, bench.app.received.size());
  }

  /** The peer in the west is confirmed; gives its Confirm. */
  static String responder(Bench bench) {
    bench.query(Peer.QUERY);
    String confirm = Peer.confirm(bench.one().object(Seen.RESPONDER_COOKIE));
    bench.direct("10.0.1.7", "10.0.1.1", confirm);
    assertEquals(List.of(), bench.take());
    return confirm;
  }

  private static String east(int hops) {
    return Peer.EAST.replace("04004000", String.format("04%02x4000", hops));
  }

  private static byte[] withoutData(byte[] payload) {
    String data = object("0008", Peer.PAYLOAD);
    String hex = Bytes.hex(payload);
    if (!hex.endsWith(data)) {
      return payload;
    }
    String cut = hex.substring(0, hex.length() - data.length());
    int words = (cut.length() - 24) / 8;
    return Bytes.of(cut.substring(0, 12) + String.format("%04x", words) + cut.substring(16));
  }
}
