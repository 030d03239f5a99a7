// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.netserv.gist.conformance.Bench.address;
import static org.netserv.gist.conformance.Bytes.message;
import static org.netserv.gist.conformance.Bytes.object;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.gist.AddressPrefix;
import org.netserv.gist.TransferAttributes;
import org.netserv.gist.port.OutboundDatagram;

/** The same over IPv6. */
class Ipv6Test {
  private static final String FLOW =
      "20010db8000000000000000000000009" + "20010db8000900000000000000000009" + "80800000";
  private static final String MRI = object("0000", "0000 6000" + FLOW);
  private static final String MRI_UP = object("0000", "0000 6020" + FLOW);
  private static final String WEST =
      object("0002", "04 40 60 00 00007530 aabbccdd 20010db8000100000000000000000007");
  private static final String EAST =
      object("0002", "04 00 60 00 00007530 eeff0011 20010db8000200000000000000000007");
  private static final String QUERY =
      message(Peer.QUERY_HEADER, MRI, Peer.SID, WEST, Peer.QUERY_COOKIE);

  @Test
  void aQueryIsTheBytesOfTheRfc() {
    Bench bench = new Bench();
    bench.send(Requests.of(Requests.FLOW6, TransferAttributes.RELIABLE));
    OutboundDatagram query = bench.sent.get(0);
    Seen seen = bench.one();
    Bytes.assertLike(
        Bytes.MAGIC
            + message(
                "01 ?? 7fc6 80 40",
                MRI,
                Peer.SID,
                object("0002", "04 ?? 60 00 00007530 cafe0001 20010db8000200000000000000000001"),
                object("0005", seen.object(Seen.QUERY_COOKIE)),
                object("0003", seen.object(Seen.PROPOSAL)),
                object("0004", seen.object(Seen.CONFIGURATION))),
        query.payload());
    assertEquals(address("2001:db8:9::9"), query.destination());
    assertEquals(address("2001:db8::9"), query.source());
    assertEquals(270, query.destinationPort());
    assertEquals(Bench.ROUTER_ALERT, query.routerAlert());
  }

  @Test
  void aHandshake() {
    Bench bench = new Bench();
    intercept(bench, "2001:db8::9", QUERY);
    assertEquals(address("2001:db8:1::7"), bench.sent.get(0).destination());
    Seen response = bench.one();
    assertEquals(MRI_UP.substring(8), response.object(Seen.MRI));
    assertTrue(response.object(Seen.NLI).endsWith("cafe0001" + "20010db8000100000000000000000001"));
    String cookie = object("0006", response.object(Seen.RESPONDER_COOKIE));
    bench.direct(
        "2001:db8:1::7",
        "2001:db8:1::1",
        message(Peer.CONFIRM_HEADER, MRI, Peer.SID, WEST, cookie));
    bench.direct(
        "2001:db8:1::7",
        "2001:db8:1::1",
        message(Peer.DATA_HEADER, MRI, Peer.SID, WEST, Peer.DATA));
    assertEquals(List.of(), bench.take());
    assertEquals(1, bench.app.received.size());
  }

  @Test
  void anAssociation() {
    Bench bench = new Bench();
    bench.send(Requests.of(Requests.FLOW6, TransferAttributes.RELIABLE));
    String cookie = object("0005", bench.one().object(Seen.QUERY_COOKIE));
    bench.direct(
        "2001:db8:2::7",
        "2001:db8:2::1",
        message(
            Peer.RESPONSE_HEADER,
            MRI_UP,
            Peer.SID,
            EAST,
            cookie,
            Peer.RESPONDER_COOKIE,
            Peer.PROPOSAL,
            Peer.CONFIGURATION_PORT));
    Wires.Wire wire = bench.wires.opened.get(0);
    assertEquals(address("2001:db8:2::7"), wire.remote().getAddress());
    wire.connect();
    bench.clock.advance(0);
    assertEquals(List.of(2, 3), wire.seen().stream().map(Seen::type).toList());
  }

  @Test
  void theRouterAlertCannotBeSwitchedOff() {
    Tuning off = new Tuning();
    off.noRouterAlert = List.of(new AddressPrefix(Bench.address("::"), 0));
    Bench bench = new Bench(off);
    bench.send(Requests.of(Requests.FLOW6, TransferAttributes.UNRELIABLE));
    assertEquals(Bench.ROUTER_ALERT, bench.sent.get(0).routerAlert());
  }

  @Test
  void aMismatchIsToldToTheIpSource() {
    Bench bench = new Bench();
    intercept(bench, "2001:db8:77::5", QUERY.replace("7fc68040", "7fc680c0"));
    assertEquals(address("2001:db8:77::5"), bench.sent.get(0).destination());
    assertEquals("2:9/4", bench.one().error());
  }

  @Test
  void linkLocalIsNeverInTheNli() {
    Bench bench = new Bench();
    bench.send(Requests.of(Requests.FLOW6, TransferAttributes.UNRELIABLE));
    intercept(bench, "2001:db8::9", QUERY);
    for (Seen seen : bench.take()) {
      String nli = seen.object(Seen.NLI);
      assertEquals("6", nli.substring(4, 5), "the IP version of the MRI");
      assertEquals("20010db8", nli.substring(nli.length() - 32, nli.length() - 24));
    }
  }

  private static void intercept(Bench bench, String source, String query) {
    bench.intercept(source, "2001:db8:9::9", 61, Bench.ROUTER_ALERT, 1, Bytes.MAGIC + query);
  }
}
