// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A message that the node under test sent, taken apart by the layout of RFC 5971 appendix A alone:
 * flags and objects in hexadecimal.
 *
 * @param type 0 Query, 1 Response, 2 Confirm, 3 Data, 4 Error, 5 MA-Hello
 * @param objects values by type, in the order of the wire
 */
record Seen(
    int hops,
    int nslpId,
    boolean c,
    int type,
    boolean s,
    boolean r,
    boolean e,
    Map<Integer, String> objects) {
  static final int MRI = 0;
  static final int SID = 1;
  static final int NLI = 2;
  static final int PROPOSAL = 3;
  static final int CONFIGURATION = 4;
  static final int QUERY_COOKIE = 5;
  static final int RESPONDER_COOKIE = 6;
  static final int TRAVERSAL = 7;
  static final int DATA = 8;
  static final int ERROR = 9;
  static final int HELLO = 10;

  /** A UDP payload. */
  static Seen datagram(byte[] payload) {
    String hex = Bytes.hex(payload);
    assertTrue(hex.startsWith(Bytes.MAGIC), hex);
    return message(hex.substring(8));
  }

  /** A message from its common header on. */
  static Seen message(String hex) {
    assertEquals("01", hex.substring(0, 2), "version");
    assertEquals(hex.length() - 16, number(hex, 4, 4) * 8, "length in words");
    int type = number(hex, 12, 2);
    int flags = number(hex, 14, 2);
    assertEquals(0, flags & 0x1f, "reserved bits");
    Map<Integer, String> objects = new LinkedHashMap<>();
    for (int at = 16; at < hex.length(); ) {
      int head = number(hex, at, 4);
      int length = number(hex, at + 4, 4);
      assertEquals(0, head & 0xf000, "extensibility and reserved bits");
      assertTrue(length < 4096 && at + 8 + length * 8 <= hex.length(), "object length");
      assertNull(objects.put(head, hex.substring(at + 8, at + 8 + length * 8)), "twice");
      at += 8 + length * 8;
    }
    return new Seen(
        number(hex, 2, 2),
        number(hex, 8, 4),
        (type & 0x80) != 0,
        type & 0x7f,
        (flags & 0x80) != 0,
        (flags & 0x40) != 0,
        (flags & 0x20) != 0,
        objects);
  }

  /** Object types in the order of the wire. */
  List<Integer> order() {
    return List.copyOf(objects.keySet());
  }

  String object(int wanted) {
    assertTrue(objects.containsKey(wanted), () -> "object " + wanted + " missing: " + objects);
    return objects.get(wanted);
  }

  /** Class, code and subcode of an Error: "2:9/1". */
  String error() {
    assertEquals(4, type, () -> "an Error: " + this);
    String value = object(ERROR);
    return number(value, 0, 2) + ":" + number(value, 2, 4) + "/" + number(value, 6, 2);
  }

  private static int number(String hex, int from, int digits) {
    return Integer.parseInt(hex.substring(from, from + digits), 16);
  }
}
