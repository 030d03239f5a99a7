// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * The messages of RFC 4475. Each message's section in the RFC states the result that a scanner must
 * give.
 */
class TortureTest {
  /**
   * The messages that the scanner refuses. Every other message is framed well enough to be read.
   */
  private static final Map<String, SipError> REFUSED =
      Map.ofEntries(
          Map.entry("baddn", SipError.NO_EMPTY_LINE), // the archive's copy ends without it
          Map.entry("badvers", SipError.VERSION),
          Map.entry("bigcode", SipError.STATUS_CODE),
          Map.entry("clerr", SipError.CONTENT_LENGTH_BEYOND),
          Map.entry("ltgtruri", SipError.REQUEST_URI),
          Map.entry("lwsruri", SipError.START_LINE),
          Map.entry("lwsstart", SipError.START_LINE),
          Map.entry("mcl01", SipError.CONTENT_LENGTH_REPEATED),
          Map.entry("ncl", SipError.CONTENT_LENGTH),
          Map.entry("trws", SipError.START_LINE));

  @Test
  void archiveHoldsThe49MessagesAndOneThatTheRfcDoesNotDescribe() throws IOException {
    assertEquals(49, Torture.messages().size());
    assertEquals(50, Torture.archive().size());
  }

  @Test
  void eachMessageIsScannedOrRefusedByName() throws IOException {
    Map<String, SipError> refused = new TreeMap<>();
    SipScanner scanner = new SipScanner();
    Torture.messages()
        .forEach(
            (name, bytes) -> {
              SipError error = scanner.reset(ByteBuffer.wrap(bytes), 0, bytes.length);
              if (error != SipError.OK) {
                refused.put(name, error);
              }
            });
    assertEquals(new TreeMap<>(REFUSED), refused);
  }

  @Test
  void heapAndDirectBuffersOfEitherByteOrderAgree() throws IOException {
    for (byte[] bytes : Torture.messages().values()) {
      ByteBuffer heap = ByteBuffer.wrap(bytes);
      ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length + 3).put(3, bytes);
      direct.order(java.nio.ByteOrder.LITTLE_ENDIAN);
      SipScanner one = new SipScanner();
      SipScanner two = new SipScanner();
      assertEquals(one.reset(heap, 0, bytes.length), two.reset(direct, 3, bytes.length + 3));
      assertEquals(one.headers(), two.headers());
      for (int i = 0; i < one.headers(); i++) {
        assertEquals(one.valueEnd(i) + 3, two.valueEnd(i));
      }
    }
  }

  /** No proper prefix of a message without a body is a message: the empty line comes last. */
  @Test
  void truncatedAnywhereBeforeTheEmptyLineEndsIsRefused() throws IOException {
    SipScanner scanner = new SipScanner();
    for (Map.Entry<String, byte[]> entry : Torture.messages().entrySet()) {
      byte[] bytes = entry.getValue();
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      scanner.reset(buffer, 0, bytes.length);
      int body = scanner.bodyStart();
      for (int cut = 0; cut <= bytes.length; cut++) {
        SipError error = scanner.reset(buffer, 0, cut);
        if (cut < body) {
          assertNotEquals(SipError.OK, error, entry.getKey() + " cut at " + cut);
        }
        Probe.all(scanner, buffer);
      }
    }
  }

  @Test
  void mutatedMessagesNeverThrowAndNeverPointOutside() throws IOException {
    Random random = new Random(4475);
    SipScanner scanner = new SipScanner();
    byte[][] messages = Torture.messages().values().toArray(byte[][]::new);
    String marks = "\r\n :;,<>\"\\@=[]/\0%";
    int good = 0;
    for (int round = 0; round < 60_000; round++) {
      byte[] bytes = messages[random.nextInt(messages.length)].clone();
      for (int i = random.nextInt(6); i >= 0; i--) {
        bytes[random.nextInt(bytes.length)] =
            random.nextBoolean()
                ? (byte) marks.charAt(random.nextInt(marks.length()))
                : (byte) random.nextInt(256);
      }
      // The limit is the message's end: one byte read too far would throw.
      int length = random.nextInt(4) == 0 ? 1 + random.nextInt(bytes.length) : bytes.length;
      ByteBuffer buffer = ByteBuffer.wrap(bytes).slice(0, length);
      good += scanner.reset(buffer, 0, buffer.limit()) == SipError.OK ? 1 : 0;
      Probe.all(scanner, buffer);
    }
    assertTrue(
        good > 1000, "only " + good + " mutants were still messages: the test sees too little");
  }
}
