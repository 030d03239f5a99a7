// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The scanner decides as the plain rules do, and finds the same headers. */
class ScanRuleTest {
  private static final int PLACES = 12;

  private final SipScanner scanner = new SipScanner(PLACES);

  private SipError agree(String message) {
    byte[] bytes = Mutants.bytes(message);
    ByteBuffer buffer = ByteBuffer.allocateDirect(bytes.length + 5).put(5, bytes);
    PlainScanner plain = new PlainScanner(message, PLACES);
    SipError expected = plain.scan();
    assertEquals(expected, scanner.reset(buffer, 5, buffer.limit()), message);
    if (expected == SipError.OK) {
      assertEquals(plain.headers, headers(buffer), message);
      assertEquals(plain.body, text(buffer, scanner.bodyStart(), scanner.bodyEnd()), message);
      for (SipHeader header : SipHeader.values()) {
        chains(header);
      }
    }
    return expected;
  }

  private List<String> headers(ByteBuffer buffer) {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < scanner.headers(); i++) {
      all.add(text(buffer, scanner.nameStart(i), scanner.nameEnd(i)));
      all.add(text(buffer, scanner.valueStart(i), scanner.valueEnd(i)));
    }
    return all;
  }

  private void chains(SipHeader header) {
    int next = scanner.first(header);
    int count = 0;
    for (int i = 0; i < scanner.headers(); i++) {
      if (scanner.header(i) == header) {
        assertEquals(i, next);
        next = scanner.next(i);
        count++;
      }
    }
    assertEquals(-1, next);
    assertEquals(count, scanner.count(header));
    assertEquals(count > 0, scanner.has(header));
    assertEquals(count == 1, scanner.hasOne(header));
  }

  private static String text(ByteBuffer buffer, int start, int end) {
    byte[] bytes = new byte[end - start];
    buffer.get(start, bytes);
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  @Test
  void onEveryTortureMessage() throws IOException {
    for (Map.Entry<String, byte[]> entry : Torture.archive().entrySet()) {
      agree(new String(entry.getValue(), StandardCharsets.ISO_8859_1));
    }
  }

  @Test
  void onEveryPrefixAndBehindEachByteTakenOut() {
    String message = Mutants.KEEP_ALIVE;
    for (int i = 0; i <= message.length(); i++) {
      agree(message.substring(0, i));
      agree(message.substring(i));
      agree(message.substring(0, i) + message.substring(Math.min(i + 1, message.length())));
    }
  }

  @Test
  void onMutants() throws IOException {
    Mutants mutants = new Mutants(3261);
    Set<SipError> seen = EnumSet.noneOf(SipError.class);
    int good = 0;
    for (int round = 0; round < 40_000; round++) {
      SipError error = agree(mutants.next());
      seen.add(error);
      good += error == SipError.OK ? 1 : 0;
    }
    assertTrue(good > 5000, "only " + good + " were messages: the test sees too little");
    Set<SipError> all = EnumSet.range(SipError.EMPTY, SipError.CONTENT_LENGTH_BEYOND);
    all.add(SipError.OK);
    assertEquals(all, seen);
  }
}
