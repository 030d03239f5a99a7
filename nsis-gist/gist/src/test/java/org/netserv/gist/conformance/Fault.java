// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;

/**
 * The Error object that the node sent, taken apart by the layout of RFC 5971 appendix A.4.1.
 *
 * @param code "class:code/subcode"
 * @param header first 8 bytes of the message that caused it
 * @param session null = absent
 * @param mri null = absent
 * @param infos additional information, "type:value" each
 */
record Fault(
    String code,
    boolean dmode,
    boolean qmode,
    String header,
    String session,
    String mri,
    List<String> infos) {
  static Fault of(Seen message) {
    String value = message.object(Seen.ERROR);
    int flags = Integer.parseInt(value.substring(8, 12), 16);
    assertEquals(0, flags & 0x07ff, "reserved bits");
    int words = Integer.parseInt(value.substring(12, 14), 16);
    int count = Integer.parseInt(value.substring(14, 16), 16);
    int at = 32;
    String session = null;
    if ((flags & 0x8000) != 0) {
      session = value.substring(at, at += 32);
    }
    String mri = null;
    if ((flags & 0x4000) != 0) {
      mri = value.substring(at, at += words * 8);
    } else {
      assertEquals(0, words, "length of no MRI");
    }
    List<String> infos = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int kind = Integer.parseInt(value.substring(at, at + 4), 16);
      int length = Integer.parseInt(value.substring(at + 4, at + 8), 16) * 8;
      infos.add(kind + ":" + value.substring(at + 8, at + 8 + length));
      at += 8 + length;
    }
    boolean comment = (flags & 0x2000) != 0;
    assertEquals(comment, at < value.length(), "the C-flag announces a comment");
    assertTrue(!comment || value.endsWith("00"), "a comment ends with a zero byte");
    boolean dmode = (flags & 0x1000) != 0;
    boolean qmode = (flags & 0x0800) != 0;
    assertTrue(dmode || !qmode, "Q without D");
    return new Fault(message.error(), dmode, qmode, value.substring(16, 32), session, mri, infos);
  }

  /** Reads the only datagram that the node sent. */
  static Fault of(Bench bench) {
    return of(bench.one());
  }
}
