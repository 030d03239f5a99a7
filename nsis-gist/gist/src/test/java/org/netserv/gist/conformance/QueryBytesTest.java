// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.netserv.gist.conformance.Bench.address;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.netserv.gist.AddressPrefix;
import org.netserv.gist.TransferAttributes;
import org.netserv.gist.port.OutboundDatagram;
import org.netserv.gist.wire.PathCoupledMri;

/** Tests the bytes that a querier puts on the wire (RFC 5971 sections 5.1, 5.3.2 and 5.8.1.2). */
class QueryBytesTest {
  @Test
  void aQueryIsTheBytesOfTheRfc() {
    Bench bench = new Bench();
    bench.send(Requests.unreliable());
    assertEquals(1, bench.sent.size());
    OutboundDatagram query = bench.sent.get(0);
    Seen seen = Seen.datagram(query.payload());
    String cookie = seen.object(Seen.QUERY_COOKIE);
    assertTrue(cookie.length() >= 16, cookie);
    Bytes.assertLike(
        Bytes.MAGIC
            + Bytes.message(
                "01 ?? 7fc6 80 40", // C=1, Query, S=0 R=1 E=0
                Bytes.object("0000", "00 00 40 00 0a000009 0a000909 20 20 00 00"),
                Bytes.object("0001", "000102030405060708090a0b0c0d0e0f"),
                Bytes.object("0002", "04 ?? 40 00 00007530 cafe0001 0a000201"),
                Bytes.object("0005", cookie),
                seen.objects().containsKey(Seen.DATA)
                    ? Bytes.object("0008", "01020304 05060708")
                    : ""),
        query.payload());
    assertEquals(address("10.0.9.9"), query.destination());
    assertEquals(270, query.destinationPort());
    assertTrue(seen.hops() > 0);
    assertEquals(query.ttl(), ttl(seen));
  }

  @Test
  void theRouterAlertIsThatOfTheApplication() {
    Bench bench = new Bench();
    bench.send(Requests.unreliable());
    assertEquals(Bench.ROUTER_ALERT, bench.sent.get(0).routerAlert());
  }

  @Test
  void theRouterAlertIsLeftOutByDestination() {
    assertEquals(-1, routerAlert("10.0.9.0", 24), "of the flow's destination 10.0.9.9");
    assertEquals(-1, routerAlert("0.0.0.0", 0));
    assertEquals(-1, routerAlert("10.0.9.9", 32));
    assertEquals(Bench.ROUTER_ALERT, routerAlert("10.0.9.8", 32));
    assertEquals(Bench.ROUTER_ALERT, routerAlert("10.0.0.0", 24), "the source is no matter");
    assertEquals(Bench.ROUTER_ALERT, routerAlert("::", 0));
  }

  private static int routerAlert(String prefix, int length) {
    Tuning off = new Tuning();
    off.noRouterAlert = List.of(new AddressPrefix(Bench.address(prefix), length));
    Bench without = new Bench(off);
    without.send(Requests.unreliable());
    return without.sent.get(0).routerAlert();
  }

  @Test
  void theFirstCopyHasTheSourceOfTheFlow() {
    Bench bench = new Bench();
    bench.send(Requests.unreliable());
    bench.clock.advance(500);
    assertEquals(2, bench.sent.size());
    OutboundDatagram first = bench.sent.get(0);
    OutboundDatagram second = bench.sent.get(1);
    assertEquals(address("10.0.0.9"), first.source());
    assertEquals(false, Seen.datagram(first.payload()).s());
    assertEquals(address("10.0.2.1"), second.source());
    assertEquals(true, Seen.datagram(second.payload()).s());
    assertTrue(Seen.datagram(second.payload()).object(Seen.NLI).endsWith("0a000201"));
  }

  @Test
  void theSourceCanBeOursFromTheBeginning() {
    Tuning tuning = new Tuning();
    tuning.sourceAddressAfter = 0;
    Bench bench = new Bench(tuning);
    bench.send(Requests.unreliable());
    assertEquals(address("10.0.2.1"), bench.sent.get(0).source());
    assertTrue(bench.one().s());
  }

  @Test
  void dsFieldAndFlowLabel() {
    Bench bench = new Bench();
    PathCoupledMri four =
        new PathCoupledMri(
            address("10.0.0.9"), 32, address("10.0.9.9"), 32, -1, 0x2e, -1, -1, -1, -1, false);
    bench.send(Requests.of(four, TransferAttributes.UNRELIABLE));
    assertEquals(0x2e << 2, bench.sent.get(0).trafficClass());
    assertEquals("00004400" + "0a000009" + "0a000909" + "202000b8", bench.one().object(Seen.MRI));

    PathCoupledMri six =
        new PathCoupledMri(
            address("2001:db8::9"),
            128,
            address("2001:db8:9::9"),
            128,
            -1,
            0x0a,
            0xabcde,
            -1,
            -1,
            -1,
            false);
    bench.send(Requests.of(six, TransferAttributes.UNRELIABLE));
    assertEquals(0x0a << 2, bench.sent.get(0).trafficClass());
    assertEquals(0xabcde, bench.sent.get(0).flowLabel());
    assertEquals(
        "00006600"
            + "20010db8000000000000000000000009"
            + "20010db8000900000000000000000009"
            + "80800028"
            + "000abcde",
        bench.one().object(Seen.MRI));
  }

  @Test
  void theOfferIsInEveryQueryOfAnAssociation() {
    Bench bench = new Bench();
    bench.send(Requests.reliable());
    bench.clock.advance(500);
    for (Seen query : bench.take()) {
      assertEquals(
          List.of(
              Seen.MRI, Seen.SID, Seen.NLI, Seen.QUERY_COOKIE, Seen.PROPOSAL, Seen.CONFIGURATION),
          query.order());
      assertEquals("01000000" + "01010000", query.object(Seen.PROPOSAL));
      String configuration = query.object(Seen.CONFIGURATION);
      assertEquals("01000000" + "00007530" + "01", configuration.substring(0, 18));
      assertEquals("0000", configuration.substring(20)); // no options, D=0
      assertTrue(Map.of("00", 0, "01", 1).containsKey(configuration.substring(18, 20)));
    }
  }

  @Test
  void aSecureSessionOffersTlsAlone() {
    Tuning both = new Tuning();
    both.stacks = List.of(Wires.TLS, Wires.TCP);
    Bench bench = new Bench(both);
    bench.send(Requests.of(Requests.FLOW, TransferAttributes.SECURE));
    assertEquals("01000000" + "02020100", bench.one().object(Seen.PROPOSAL));
    Bench open = new Bench(both);
    open.send(Requests.reliable());
    assertEquals("02000000" + "02020100" + "01010000", open.one().object(Seen.PROPOSAL));
  }

  private static int ttl(Seen seen) {
    return Integer.parseInt(seen.object(Seen.NLI).substring(2, 4), 16);
  }
}
