// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.netserv.gist.conformance.Bytes.message;
import static org.netserv.gist.conformance.Bytes.object;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Routing information that is illegal, unknown, too wide or out of place. */
class MriErrorsTest {
  private static final String ADDRESSES = "0a000009 0a000909 20 20 00 00";
  private static final List<String> REST = List.of(Peer.SID, Peer.WEST, Peer.QUERY_COOKIE);

  @Test
  void illegalFlags() {
    for (String mri :
        List.of(
            object("0000", "0000 4200" + ADDRESSES + "000abcde"), // F with IPv4
            object("0000", "0000 4100" + ADDRESSES + "00000001"), // S without P
            object("0000", "0000 4080" + ADDRESSES + "00500000"), // A without P
            object("0000", "0000 4040" + ADDRESSES + "00000050"), // B without P
            object("0000", "0000 40c0" + ADDRESSES + "00500050"))) { // A and B without P
      Fault fault = fault(mri);
      assertEquals("2:10/2", fault.code(), mri);
      assertEquals(1, fault.infos().size());
      assertEquals(mri, fault.infos().get(0).substring(10));
    }
  }

  @Test
  void legalFlags() {
    for (String mri :
        List.of(
            object("0000", "0000 4800" + "0a000009 0a000909 20 20 11 00"), // P
            object("0000", "0000 4900" + "0a000009 0a000909 20 20 32 00 00000001"), // P S
            object("0000", "0000 4880" + "0a000009 0a000909 20 20 11 00 00500000"), // P A
            object("0000", "0000 48c0" + "0a000009 0a000909 20 20 11 00 00000050"), // P A B
            object("0000", "0000 4c00" + "0a000009 0a000909 20 20 11 b8"))) { // P T
      Bench bench = new Bench();
      bench.query(message(Peer.QUERY_HEADER, mri, Peer.SID, Peer.WEST, Peer.QUERY_COOKIE));
      String response = bench.one().object(Seen.MRI);
      int flags = Integer.parseInt(response.substring(4, 8), 16);
      String flipped = String.format("%04x", flags ^ 0x0020);
      assertEquals(mri.substring(8), response.substring(0, 4) + flipped + response.substring(8));
    }
  }

  @Test
  void unknownMethodOrVersion() {
    assertEquals("2:10/1", fault(object("0000", "6300 4000" + ADDRESSES)).code());
    assertEquals("2:10/1", fault(object("0000", "0000 5000" + ADDRESSES)).code());
  }

  @Test
  void theProtocolIsIgnoredWithoutItsFlag() {
    String odd = Peer.QUERY.replace("20200000", "20201100");
    Bench bench = new Bench();
    bench.query(odd);
    assertEquals(1, bench.one().type());
  }

  @Test
  void tooWildInTransit() {
    Tuning tuning = new Tuning();
    tuning.prefixMin = 24;
    Bench bench = new Bench(tuning);
    String wild = Peer.QUERY.replace("7fc6", "7ff0").replace("20200000", "20080000");
    bench.query(wild);
    Fault fault = Fault.of(bench);
    assertEquals("4:12/0", fault.code());
    assertEquals(Peer.MRI.replace("20200000", "20080000"), fault.infos().get(0).substring(10));
    assertEquals(List.of("taken"), bench.verdicts);
    bench.verdicts.clear();
    bench.query(wild.replace("20080000", "20180000")); // 24 bits are enough
    assertEquals(List.of(), bench.take());
    assertEquals(1, bench.verdicts.size());
  }

  @Test
  void anUnknownMethodPasses() {
    Tuning tuning = new Tuning();
    tuning.prefixMin = 24;
    Bench bench = new Bench(tuning);
    String query =
        message(
            "01 20 7ff0 80 40",
            object("0000", "7800 0000 00000000"), // MRM 120: private use
            Peer.SID,
            Peer.WEST,
            Peer.QUERY_COOKIE);
    bench.query(query);
    assertEquals(List.of(), bench.take());
    assertEquals(List.of(Bytes.MAGIC + query.replaceFirst("^0120", "011f")), bench.verdicts);
  }

  @Test
  void wrongIpVersion() {
    Bench bench = new Bench();
    bench.intercept(
        "2001:db8::9",
        "2001:db8:9::9",
        61,
        Bench.ROUTER_ALERT,
        1,
        Bytes.MAGIC + Peer.QUERY); // an MRI of IPv4
    Fault fault = Fault.of(bench);
    assertEquals("4:12/1", fault.code());
    assertEquals(Peer.MRI, fault.infos().get(0).substring(10));
  }

  @Test
  void ingressFilter() {
    Tuning tuning = new Tuning();
    tuning.strictIngress = true;
    Bench bench = new Bench(tuning);
    bench.query(Peer.QUERY);
    assertEquals(1, bench.one().type(), "the source is in the west");
    bench.query(Peer.QUERY.replace("0a000009", "0a000409")); // that one is in the east
    Fault fault = Fault.of(bench);
    assertEquals("4:12/2", fault.code());
    assertEquals(Peer.MRI.replace("0a000009", "0a000409"), fault.infos().get(0).substring(10));
  }

  private static Fault fault(String mri) {
    return ObjectErrorsTest.fault(List.of(mri, REST.get(0), REST.get(1), REST.get(2)));
  }
}
