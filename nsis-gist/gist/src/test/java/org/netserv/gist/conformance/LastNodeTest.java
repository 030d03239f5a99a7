// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.netserv.gist.conformance.Bench.address;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.NetworkNotification;
import org.netserv.gist.SiiHandle;
import org.netserv.gist.TransferAttributes;
import org.netserv.gist.port.IcmpError;
import org.netserv.gist.port.OutboundDatagram;

/** Tests how a node learns that no node comes after it (RFC 5971 sections 4.3.3, 4.3.4 and B.4). */
class LastNodeTest {
  @Test
  void anEndpointWithoutTheApplicationSaysSo() {
    Bench bench = new Bench();
    bench.more.add(address("10.0.9.9"));
    bench.query(Peer.QUERY.replace("7fc6", "7ff0"));
    assertEquals(address("10.0.1.7"), bench.sent.get(0).destination());
    Fault fault = Fault.of(bench);
    assertEquals("4:7/0", fault.code());
    assertEquals(Peer.SID.substring(8), fault.session());
    assertEquals(Peer.MRI.substring(8), fault.mri());
    assertEquals(true, fault.qmode());
    assertEquals(List.of("taken"), bench.verdicts);
  }

  @Test
  void endpointFoundEndsTheSearch() {
    Bench bench = new Bench();
    bench.send(Requests.unreliable());
    String header = Bytes.hex(bench.sent.get(0).payload()).substring(8, 24);
    bench.take();
    bench.direct(
        "10.0.9.9", "10.0.2.1", Peer.error("04 0007 00", header).replace("0a000207", "0a000909"));
    assertLast(bench, NetworkNotification.ENDPOINT_FOUND);
  }

  @Test
  void portUnreachableEndsTheSearch() {
    Bench bench = asked();
    OutboundDatagram query = bench.sent.get(0);
    bench.icmp(unreachable(query, address("10.0.9.9"), query.payload()));
    assertLast(bench, NetworkNotification.PORT_UNREACHABLE);
    assertEquals(1, bench.counters.get(Counter.ICMP_ACCEPTED));
  }

  @Test
  void aForgedUnreachableChangesNothing() {
    Bench bench = asked();
    OutboundDatagram query = bench.sent.get(0);
    byte[] altered = query.payload().clone();
    altered[altered.length > 80 ? 80 : altered.length - 1] ^= 1; // the cookie
    bench.icmp(unreachable(query, address("10.0.9.9"), altered));
    bench.icmp(unreachable(query, address("10.0.5.5"), query.payload())); // a router's is not it
    assertEquals(2, bench.counters.get(Counter.ICMP_REFUSED));
    assertEquals(List.of(), bench.app.notes);
    assertEquals(List.of(), bench.app.statuses);
  }

  @Test
  void hostsOfOldQuoteUdpAlone() {
    Bench bench = asked();
    OutboundDatagram query = bench.sent.get(0);
    bench.icmp(unreachable(query, address("10.0.9.9"), new byte[0]));
    assertLast(bench, NetworkNotification.PORT_UNREACHABLE);
  }

  @Test
  void aShortQuoteDoesNotEndWhatIsEstablished() {
    Bench bench = asked();
    OutboundDatagram query = bench.sent.get(0);
    bench.direct("10.0.2.7", "10.0.2.1", Peer.response(bench.one().object(Seen.QUERY_COOKIE)));
    bench.take();
    bench.clock.advance(22_600);
    assertTrue(bench.take().size() >= 1, "a refresh is under way");
    bench.icmp(unreachable(query, address("10.0.9.9"), new byte[0]));
    assertEquals(1, bench.counters.get(Counter.ICMP_REFUSED));
    assertEquals(1, bench.counters.snapshot().get("states-querying"));
  }

  @Test
  void aShortQuoteCountsFromTheEndOfTheFlowAndWithOurPortOnly() {
    Bench bench = asked();
    OutboundDatagram query = bench.sent.get(0);
    byte[] nothing = {};
    InetAddress end = address("10.0.9.9");
    bench.icmp(unreachable(query, address("10.0.5.5"), nothing));
    bench.icmp(unreachable(query, null, nothing));
    bench.icmp(unreachable(query, end, nothing, 40_000));
    bench.icmp(unreachable(query, end, Arrays.copyOf(query.payload(), 64))); // long enough
    bench.icmp(unreachable(query, end, new byte[] {1, 2, 3, 4})); // not ours
    assertEquals(5, bench.counters.get(Counter.ICMP_REFUSED));
    bench.direct("10.0.2.7", "10.0.2.1", Peer.response(bench.one().object(Seen.QUERY_COOKIE)));
    bench.icmp(unreachable(query, end, nothing));
    assertEquals(6, bench.counters.get(Counter.ICMP_REFUSED), "it was answered");
    assertFalse(bench.app.kinds().contains(NetworkNotification.Kind.LAST_NODE));

    Bench foreign = new Bench();
    foreign.send(Requests.unreliable());
    foreign.icmp(unreachable(foreign.sent.get(0), end, nothing));
    assertEquals(1, foreign.counters.get(Counter.ICMP_REFUSED), "S=0: not of our address");
    assertEquals(List.of(), foreign.app.notes);
  }

  @Test
  void nobodyAnswering() {
    Bench bench = new Bench();
    bench.send(Requests.unreliable());
    bench.clock.advance(200_000);
    assertEquals(NetworkNotification.NO_RESPONSE, bench.app.notes.get(0).reason());
    assertEquals(1, bench.app.notes.size());
  }

  @Test
  void nothingIsSentToOurselves() {
    Bench bench = new Bench();
    bench.more.add(address("10.0.9.9"));
    bench.send(Requests.unreliable());
    bench.clock.advance(0);
    assertEquals(List.of(), bench.take());
    assertEquals(List.of("a LAST_NODE"), bench.app.statuses);
    assertEquals(0, bench.clock.pending(), "no state beyond the end");
  }

  @Test
  void norBeyondTheSourceOfTheFlow() {
    Bench bench = new Bench();
    bench.more.add(address("10.0.0.9"));
    bench.send(Requests.of(Requests.FLOW.flipped(), TransferAttributes.UNRELIABLE));
    bench.clock.advance(0);
    assertEquals(List.of(), bench.take());
    assertEquals(List.of("a LAST_NODE"), bench.app.statuses);
  }

  @Test
  void norToOurOwnHandle() {
    Bench bench = new Bench();
    SiiHandle ours = SiiHandle.of(Bytes.of(Bench.IDENTITY), address("10.0.2.1"), 2);
    assertThrows(IllegalArgumentException.class, () -> bench.send(Requests.to(ours)));
    assertEquals(List.of(), bench.take());
  }

  /** Returns a bench that sent a Query with its own address. */
  private static Bench asked() {
    Tuning tuning = new Tuning();
    tuning.sourceAddressAfter = 0;
    Bench bench = new Bench(tuning);
    bench.send(Requests.unreliable());
    return bench;
  }

  private static IcmpError unreachable(OutboundDatagram query, InetAddress from, byte[] payload) {
    return unreachable(query, from, payload, query.sourcePort() == 0 ? 270 : query.sourcePort());
  }

  private static IcmpError unreachable(
      OutboundDatagram query, InetAddress from, byte[] payload, int sourcePort) {
    return new IcmpError(
        3,
        3,
        0,
        from,
        query.source(),
        sourcePort,
        query.destination(),
        270,
        Arrays.copyOf(payload, Math.min(payload.length, 512)));
  }

  /** Expects one notification, one status, and silence. */
  private static void assertLast(Bench bench, String reason) {
    bench.sent.clear();
    assertEquals(List.of(NetworkNotification.Kind.LAST_NODE), bench.app.kinds());
    assertEquals(reason, bench.app.notes.get(0).reason());
    assertEquals(List.of("a LAST_NODE"), bench.app.statuses);
    bench.clock.advance(100_000);
    assertEquals(List.of(), bench.take());
    assertEquals(1, bench.app.notes.size());
  }
}
