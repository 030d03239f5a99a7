// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.netserv.gist.conformance.Bytes.message;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The common header (RFC 5971 appendix A.1, errors of A.4.4.1 and A.4.4.2). */
class HeaderErrorsTest {
  private static final String[] DATA = {Peer.MRI, Peer.SID, Peer.WEST, Peer.DATA};

  @Test
  void version() {
    Bench bench = new Bench();
    bench.direct("10.0.1.7", "10.0.1.1", message("02 20 7fc6 03 80", DATA));
    assertEquals("4e04bda501", Bytes.hex(bench.sent.get(0).payload()).substring(0, 10));
    Fault fault = Fault.of(bench);
    assertEquals("2:1/0", fault.code());
    assertEquals("02", fault.header().substring(0, 2));
    assertNull(fault.session());
    assertNull(fault.mri());
    assertEquals(List.of(), fault.infos());
  }

  @Test
  void type() {
    for (String unknown : List.of("06", "3f", "40", "7f")) {
      assertEquals("2:1/1", direct("01 20 7fc6 " + unknown + " 80", DATA).code());
    }
  }

  @Test
  void replyFlag() {
    assertEquals("2:1/2", direct("01 20 7fc6 03 c0", DATA).code());
    assertEquals(
        "2:1/2",
        direct("01 20 7fc6 02 c0", Peer.MRI, Peer.SID, Peer.WEST, Peer.RESPONDER_COOKIE).code());
    Bench bench = new Bench();
    bench.query(message("01 20 7fc6 80 00", Peer.MRI, Peer.SID, Peer.WEST, Peer.QUERY_COOKIE));
    assertEquals(0, bench.app.queries.size(), "a Query without R=1");
  }

  @Test
  void length() {
    String right = message(Peer.DATA_HEADER, DATA);
    int words = (right.length() - 16) / 8;
    for (int wrong : List.of(words - 1, words + 1, 0, 0xffff)) {
      Bench bench = new Bench();
      bench.direct(
          "10.0.1.7",
          "10.0.1.1",
          right.substring(0, 4) + String.format("%04x", wrong) + right.substring(8));
      Fault fault = Fault.of(bench);
      assertEquals("2:1/3", fault.code());
      assertEquals(1, fault.infos().size());
      assertEquals("1:", fault.infos().get(0).substring(0, 2));
      assertNull(fault.mri());
      if (wrong == words + 1) {
        assertEquals(String.format("1:%04x0000", words), fault.infos().get(0));
      }
    }
  }

  @Test
  void explicitlyRoutedFlag() {
    assertEquals(
        "2:1/4",
        direct("01 20 7fc6 02 a0", Peer.MRI, Peer.SID, Peer.WEST, Peer.RESPONDER_COOKIE).code());
  }

  @Test
  void contextFreeFlag() {
    assertEquals(
        "2:1/5",
        direct("01 20 7fc6 82 80", Peer.MRI, Peer.SID, Peer.WEST, Peer.RESPONDER_COOKIE).code());
    assertEquals(
        "2:1/5",
        direct("01 20 7fc6 00 c0", Peer.MRI, Peer.SID, Peer.WEST, Peer.QUERY_COOKIE).code());
  }

  @Test
  void hopCountZero() {
    Bench bench = new Bench();
    bench.query(Peer.QUERY.replaceFirst("^0120", "0100"));
    Seen error = bench.one();
    assertEquals("4:2/0", error.error());
    Fault fault = Fault.of(error);
    assertEquals(Peer.SID.substring(8), fault.session());
    assertEquals(Peer.MRI.substring(8), fault.mri());
    assertEquals(true, fault.qmode());
    assertEquals(0, bench.app.queries.size());

    Bench other = new Bench();
    other.direct("10.0.1.7", "10.0.1.1", Peer.data("0a0b0c0d").replaceFirst("^0120", "0100"));
    assertEquals("4:2/0", other.one().error());
  }

  @Test
  void theApplicationSeesTheHopCountDecremented() {
    Bench bench = new Bench();
    HandshakeTest.responder(bench);
    bench.direct("10.0.1.7", "10.0.1.1", Peer.data("0a0b0c0d"));
    assertEquals(0x1f, bench.app.queries.get(0).hops());
    assertEquals(0x1f, bench.app.received.get(0).hops());
  }

  @Test
  void hopCountOneIsNotForwarded() {
    Bench bench = new Bench();
    bench.query(Peer.QUERY.replaceFirst("^0120", "0101"));
    assertEquals(1, bench.one().type(), "here it is processed");
    assertEquals(0, bench.app.queries.get(0).hops());

    bench.verdicts.clear();
    bench.query(Peer.QUERY.replaceFirst("^0120", "0101").replace("7fc6", "7ff0"));
    assertEquals("4:2/0", bench.one().error(), "but it does not go on");
    assertEquals(List.of("taken"), bench.verdicts);
  }

  private static Fault direct(String header, String... objects) {
    Bench bench = new Bench();
    bench.direct("10.0.1.7", "10.0.1.1", message(header, objects));
    Fault fault = Fault.of(bench);
    assertNull(fault.session());
    assertNull(fault.mri());
    return fault;
  }
}
