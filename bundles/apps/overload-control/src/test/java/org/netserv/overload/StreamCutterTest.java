// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.sip.SipError;
import org.netserv.sip.Torture;

class StreamCutterTest {
  private static final String BODY = "v=0\r\n\r\nnot a head\r\n\r\n";
  private static final String STREAM =
      "\r\n\r\n"
          + Rig.request("INVITE", "1", "").replace("\n", "\r\n")
          + "\r\n"
          + Rig.request("MESSAGE", "2", "")
              .replace("\n", "\r\n")
              .replace("Content-Length: 0", "l: " + BODY.length())
          + BODY
          + Rig.request("BYE", "3", "in-dialog").replace("\n", "\r\n");

  private final ByteBuffer bytes = ByteBuffer.allocate(2 * StreamCutter.MOST);
  private final Message message = new Message(1, List.of());
  private final StreamCutter cutter = new StreamCutter();
  private final List<String> cut = new ArrayList<>();
  private final ByteArrayOutputStream all = new ByteArrayOutputStream();
  private final StreamCutter.Taker taker =
      new StreamCutter.Taker() {
        @Override
        public void between(ByteBuffer from, int start, int end) {
          copy(from, start, end);
        }

        @Override
        public void message(ByteBuffer from, int start, int end) {
          cut.add(new String(copy(from, start, end), StandardCharsets.ISO_8859_1));
        }
      };

  private byte[] copy(ByteBuffer from, int start, int end) {
    byte[] some = new byte[end - start];
    from.get(start, some);
    all.writeBytes(some);
    return some;
  }

  private SipError give(byte[] piece) {
    cutter.restore(bytes);
    bytes.put(piece);
    return cutter.cut(bytes, message, 7, taker);
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  @Test
  void aStreamSplitAtEachByteGivesTheSameMessages() {
    byte[] stream = ascii(STREAM);
    assertEquals(SipError.OK, give(stream));
    List<String> whole = List.copyOf(cut);
    assertEquals(3, whole.size());
    assertTrue(whole.get(1).endsWith(BODY));
    for (int at = 0; at <= stream.length; at++) {
      cut.clear();
      all.reset();
      assertEquals(SipError.OK, give(Arrays.copyOf(stream, at)));
      assertEquals(SipError.OK, give(Arrays.copyOfRange(stream, at, stream.length)));
      assertEquals(whole, cut, "split at " + at);
      assertEquals(STREAM, all.toString(StandardCharsets.ISO_8859_1));
      assertEquals(0, cutter.waiting());
    }
  }

  @Test
  void oneByteAtATimeGivesTheSameMessages() {
    for (byte each : ascii(STREAM)) {
      assertEquals(SipError.OK, give(new byte[] {each}));
    }
    assertEquals(3, cut.size());
    assertEquals(STREAM, all.toString(StandardCharsets.ISO_8859_1));
  }

  @Test
  void piecesOfChanceGiveTheSameMessages() {
    Random random = new Random(3261);
    byte[] stream = ascii(STREAM.repeat(20));
    for (int at = 0; at < stream.length; ) {
      int next = Math.min(stream.length, at + 1 + random.nextInt(900));
      assertEquals(SipError.OK, give(Arrays.copyOfRange(stream, at, next)));
      at = next;
    }
    assertEquals(60, cut.size());
  }

  /** TLS, a header without a colon, no Content-Length, two of them, one that is none. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "\u0016\u0003\u0001\u0002\u0000",
        " INVITE sip:a SIP/2.0\r\nl: 0\r\n\r\n",
        "INVITE sip:a SIP/2.0\r\nhello world\r\n\r\n",
        "INVITE sip:a SIP/2.0\r\nt: <sip:a>\r\n\r\n",
        "INVITE sip:a SIP/2.0\r\nl: 0\r\nl: 0\r\n\r\n",
        "INVITE sip:a SIP/2.0\r\nl: -1\r\n\r\n",
        "INVITE sip:a SIP/2.0\r\nl: 70000\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n"
      })
  void whatIsNoMessageEndsTheStream(String text) {
    assertNotEquals(SipError.OK, give(ascii(text)));
    assertTrue(cut.isEmpty());
  }

  @Test
  void aHeadWithoutEndIsKeptUpToItsBound() {
    byte[] line = ascii("X: " + "x".repeat(4091) + "\r\n");
    assertEquals(SipError.OK, give(ascii("INVITE sip:a SIP/2.0\r\n")));
    SipError error = SipError.OK;
    int given = 0;
    while (error == SipError.OK) {
      error = give(line);
      given += line.length;
    }
    assertEquals(SipError.NO_EMPTY_LINE, error);
    assertTrue(given <= StreamCutter.MOST + line.length, "given " + given);
  }

  @Test
  void tortureAndMutantsInPiecesNeverThrow() throws IOException {
    Random random = new Random(4475);
    int faults = 0;
    for (byte[] torture : Torture.messages().values()) {
      for (int round = 0; round < 200; round++) {
        StreamCutter fresh = new StreamCutter();
        byte[] mutant = torture.clone();
        for (int i = random.nextInt(4); i > 0; i--) {
          mutant[random.nextInt(mutant.length)] = (byte) random.nextInt(256);
        }
        SipError error = SipError.OK;
        for (int at = 0; at < mutant.length && error == SipError.OK; ) {
          int next = Math.min(mutant.length, at + 1 + random.nextInt(mutant.length));
          fresh.restore(bytes);
          bytes.put(mutant, at, next - at);
          error = fresh.cut(bytes, message, 7, taker);
          at = next;
        }
        faults += error == SipError.OK ? 0 : 1;
      }
    }
    assertTrue(faults > 1000, "faults " + faults);
    assertTrue(cut.size() > 1000, "messages " + cut.size());
  }
}
