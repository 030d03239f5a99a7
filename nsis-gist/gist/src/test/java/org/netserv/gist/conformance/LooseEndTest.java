// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.netserv.gist.conformance.Bench.address;
import static org.netserv.gist.conformance.Bytes.message;
import static org.netserv.gist.conformance.Bytes.object;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.gist.TransferAttributes;
import org.netserv.gist.wire.LooseEndMri;

/** The loose-end routing method (RFC 5971 section 5.8.2, appendix A.3.1.2). */
class LooseEndTest {
  private static final String MRI = object("0000", "01 00 4000 0a000009 0a000909");
  private static final String MRI_UP = object("0000", "01 00 4800 0a000009 0a000909");
  private static final LooseEndMri FLOW =
      new LooseEndMri(address("10.0.0.9"), address("10.0.9.9"), false);

  @Test
  void aHandshake() {
    Bench bench = new Bench();
    bench.query(message(Peer.QUERY_HEADER, MRI, Peer.SID, Peer.WEST, Peer.QUERY_COOKIE));
    Seen response = bench.one();
    assertEquals(MRI_UP.substring(8), response.object(Seen.MRI));
    String cookie = object("0006", response.object(Seen.RESPONDER_COOKIE));
    bench.direct(
        "10.0.1.7", "10.0.1.1", message(Peer.CONFIRM_HEADER, MRI, Peer.SID, Peer.WEST, cookie));
    bench.direct(
        "10.0.1.7", "10.0.1.1", message(Peer.DATA_HEADER, MRI, Peer.SID, Peer.WEST, Peer.DATA));
    assertEquals(List.of(), bench.take());
    assertEquals(1, bench.app.received.size());

    bench.send(Requests.of(FLOW, TransferAttributes.UNRELIABLE));
    assertEquals(address("10.0.9.9"), bench.sent.get(0).destination());
    assertEquals(Bench.ROUTER_ALERT, bench.sent.get(0).routerAlert());
    Seen query = bench.one();
    assertEquals(MRI.substring(8), query.object(Seen.MRI));
    assertTrue(query.c() && query.r());
  }

  @Test
  void qmodeFromTheEdgeIsRefused() {
    Bench bench = new Bench();
    bench.query(message(Peer.QUERY_HEADER, MRI_UP, Peer.SID, Peer.WEST, Peer.QUERY_COOKIE));
    assertEquals("2:10/1", bench.one().error());
    assertEquals(0, bench.app.queries.size());

    bench.send(Requests.of(FLOW.flipped(), TransferAttributes.UNRELIABLE));
    bench.clock.advance(0);
    assertEquals(List.of(), bench.take(), "there is no such Query");
    assertEquals(List.of("a NO_ROUTE"), bench.app.statuses);
  }
}
