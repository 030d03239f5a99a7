// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.netserv.gist.conformance.Bytes.message;
import static org.netserv.gist.conformance.Bytes.object;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.gist.PeeringDecision;

/** Objects that are missing, repeated, misplaced or unknown (RFC 5971 appendix A.2 and A.4.4.9). */
class ObjectErrorsTest {
  /** S=1, so that an Error can go to the IP source even when the NLI is not readable. */
  static final String HEADER = "01 20 7fc6 80 c0";

  private static final List<String> QUERY =
      List.of(Peer.MRI, Peer.SID, Peer.WEST, Peer.QUERY_COOKIE, Peer.PROPOSAL, Peer.CONFIGURATION);

  @Test
  void duplicate() {
    for (String twice : QUERY) {
      List<String> objects = new ArrayList<>(QUERY);
      objects.add(objects.indexOf(twice), twice);
      assertFault("2:9/0", "3:" + twice.substring(0, 4) + "0000", objects);
    }
  }

  @Test
  void missing() {
    for (String absent : QUERY) {
      List<String> objects = new ArrayList<>(QUERY);
      objects.remove(absent);
      assertFault("2:9/2", "3:" + absent.substring(0, 4) + "0000", objects);
    }
  }

  @Test
  void notAllowedHere() {
    for (String foreign : List.of(object("000a", "00000001"), Peer.RESPONDER_COOKIE)) {
      List<String> objects = new ArrayList<>(QUERY);
      objects.add(foreign);
      assertFault("2:9/3", "3:" + foreign.substring(0, 4) + "0000", objects);
    }
  }

  @Test
  void wrongOrder() {
    List<String> objects = new ArrayList<>(QUERY);
    objects.add(0, objects.remove(1)); // the session before the MRI
    assertEquals("2:9/3", fault(objects).code());
  }

  @Test
  void unknownMandatory() {
    assertFault("2:9/1", "3:07d00000", with(object("07d0", "01020304")));
  }

  @Test
  void unknownIgnored() {
    Bench bench = ask(with(object("47d0", "01020304")));
    assertEquals(1, bench.one().type());
    bench.app.decision = PeeringDecision.PASS;
  }

  @Test
  void unknownForwarded() {
    String unknown = object("87d0", "01020304");
    assertEquals(1, ask(with(unknown)).one().type());

    Bench bench = new Bench();
    bench.app.decision = PeeringDecision.PASS;
    String query = message(HEADER, with(unknown).toArray(String[]::new));
    bench.intercept("10.0.1.7", "10.0.9.9", 61, Bench.ROUTER_ALERT, 1, Bytes.MAGIC + query);
    assertEquals(List.of(Bytes.MAGIC + query.replaceFirst("^0120", "011f")), bench.verdicts);
  }

  @Test
  void reservedExtensibility() {
    Fault fault = fault(with(object("c7d0", "01020304")));
    assertEquals("2:9/5", fault.code());
    assertEquals(1, fault.infos().size());
    assertEquals("7d00000", fault.infos().get(0).substring(3));
  }

  /** The objects of a Query that wants an association, and one more. */
  private static List<String> with(String more) {
    List<String> objects = new ArrayList<>(QUERY);
    objects.add(more);
    return objects;
  }

  /** A node that got this Query from 10.0.1.7. */
  static Bench ask(List<String> objects) {
    Bench bench = new Bench();
    String query = message(HEADER, objects.toArray(String[]::new));
    bench.intercept("10.0.1.7", "10.0.9.9", 61, Bench.ROUTER_ALERT, 1, Bytes.MAGIC + query);
    return bench;
  }

  /** The Error that it sends back to 10.0.1.7, and nothing else happens. */
  static Fault fault(List<String> objects) {
    Bench bench = ask(objects);
    assertEquals(1, bench.sent.size(), () -> "one Error about " + objects);
    assertEquals(Bench.address("10.0.1.7"), bench.sent.get(0).destination());
    assertEquals(0, bench.app.queries.size());
    assertEquals(List.of("taken"), bench.verdicts);
    return Fault.of(bench);
  }

  private static void assertFault(String code, String info, List<String> objects) {
    Fault fault = fault(objects);
    assertEquals(code, fault.code());
    assertEquals(List.of(info), fault.infos());
  }
}
