// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.netserv.gist.conformance.Bytes.message;
import static org.netserv.gist.conformance.Bytes.object;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Reserved bits are 0 when sent and ignored when received (RFC 5971 appendix A). */
class ReservedBitsTest {
  private static final String COOKIE = Peer.QUERY_COOKIE;
  private static final String NLI = Peer.WEST;

  @Test
  void reservedBitsAreIgnored() {
    for (String[] objects :
        List.of(
            new String[] {"3" + Peer.MRI.substring(1), Peer.SID, NLI, COOKIE}, // of the type
            new String[] {Peer.MRI, "0001f004" + Peer.SID.substring(8), NLI, COOKIE}, // length
            new String[] {object("0000", "00 7f 401f" + Peer.FLOW), Peer.SID, NLI, COOKIE},
            new String[] {Peer.MRI.replace("20200000", "20200003"), Peer.SID, NLI, COOKIE},
            new String[] {Peer.MRI, Peer.SID, NLI.replace("04404000", "04404fff"), COOKIE})) {
      Bench bench = new Bench();
      bench.query(message(Peer.QUERY_HEADER, objects));
      assertEquals(1, bench.sent.size(), () -> "an answer to " + String.join(" ", objects));
      Seen response = bench.one(); // which checks that its own reserved bits are 0
      assertEquals(1, response.type(), String.join(" ", objects));
      assertEquals(Peer.MRI_UP.substring(8), response.object(Seen.MRI));
    }
    Bench bench = new Bench();
    bench.query(message("01 20 7fc6 80 5f", Peer.MRI, Peer.SID, NLI, COOKIE));
    assertEquals(1, bench.one().type(), "of the common header");
  }

  @Test
  void paddingIsIgnored() {
    Bench bench = new Bench();
    bench.query(
        message(
            Peer.QUERY_HEADER,
            Peer.MRI,
            Peer.SID,
            object("0002", "01 40 40 00 00007530 aaffffff 0a000107"), // one byte of identity
            COOKIE,
            object("0003", "01 abcdef  01 01 ffff"),
            object("0004", "01 abcdef 00007530  01 00 00 7f")));
    assertEquals(1, bench.one().type());
  }
}
