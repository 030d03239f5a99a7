// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.netserv.gist.conformance.Bytes.object;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Values that no object may have (RFC 5971 appendix A.3 and A.4.4.10). */
class ObjectValueTest {
  private static final List<String> QUERY =
      List.of(Peer.MRI, Peer.SID, Peer.WEST, Peer.QUERY_COOKIE, Peer.PROPOSAL, Peer.CONFIGURATION);

  @Test
  void everyObjectTruncatedAndStretched() {
    for (int i = 0; i < QUERY.size(); i++) {
      if (QUERY.get(i).equals(Peer.QUERY_COOKIE)) {
        continue; // opaque: any length of at least a word is right
      }
      String type = QUERY.get(i).substring(0, 4);
      String value = QUERY.get(i).substring(8);
      assertObject("2:10/0", i, object(type, value.substring(0, value.length() - 8)));
      assertObject("2:10/0", i, object(type, value + "00000000"));
      assertObject("2:10/0", i, object(type, ""));
    }
    assertObject("2:10/0", 3, object("0005", ""));
  }

  @Test
  void anObjectThatReachesBeyondTheMessage() {
    for (String last : List.of("0008ffff", "00080fff", "00080003" + "0102030405060708")) {
      List<String> objects = new ArrayList<>(QUERY);
      objects.add(last);
      String code = ObjectErrorsTest.fault(objects).code();
      assertTrue(List.of("2:1/3", "2:10/0").contains(code), code);
    }
  }

  @Test
  void identityBeyondItsObject() {
    assertObject("2:10/0", 2, Peer.WEST.replace("04404000", "0c404000"));
    assertObject("2:10/0", 2, Peer.WEST.replace("04404000", "ff404000"));
  }

  @Test
  void zeroTimes() {
    assertObject("2:10/1", 2, Peer.WEST.replace("00007530", "00000000"));
    assertObject("2:10/1", 5, Peer.CONFIGURATION.replace("00007530", "00000000"));
  }

  @Test
  void anAddressOfAnUnknownIpVersion() {
    assertObject("2:10/1", 2, Peer.WEST.replace("04404000", "04405000"));
  }

  @Test
  void emptyProposals() {
    assertObject("2:10/1", 4, object("0003", "00 000000"));
    assertObject("2:10/3", 4, object("0003", "01 000000  00 00 0000"));
    assertObject("2:10/3", 4, object("0003", "02 000000  01 01 0000  00 00 0000"));
  }

  @Test
  void configurationOfAnAbsentProtocol() {
    for (String wrong :
        List.of(
            object("0004", "01 000000  00007530  09 00 00 00"), // protocol 9
            object("0004", "01 000000  00007530  01 07 00 00"))) { // of profile 7
      Fault fault = fault(5, wrong);
      assertEquals("2:10/5", fault.code());
      assertEquals(2, fault.infos().size());
      assertTrue(
          fault.infos().get(0).matches("4:0003....\\Q" + Peer.PROPOSAL + "\\E"),
          fault.infos().toString());
      assertTrue(
          fault.infos().get(1).matches("4:0004....\\Q" + wrong + "\\E"), fault.infos().toString());
    }
  }

  /** The Error has this code, and one field with the object and its true length. */
  private static void assertObject(String code, int index, String wrong) {
    Fault fault = fault(index, wrong);
    assertEquals(code, fault.code(), wrong);
    assertEquals(1, fault.infos().size(), wrong);
    String info = fault.infos().get(0);
    assertEquals("4:", info.substring(0, 2));
    assertEquals(wrong, info.substring(10));
    assertEquals(wrong.length() / 8, Integer.parseInt(info.substring(2, 6), 16), "true length");
    assertTrue(Integer.parseInt(info.substring(6, 10), 16) <= wrong.length() / 2, "offset");
  }

  private static Fault fault(int index, String replacement) {
    List<String> objects = new ArrayList<>(QUERY);
    objects.set(index, replacement);
    return ObjectErrorsTest.fault(objects);
  }
}
