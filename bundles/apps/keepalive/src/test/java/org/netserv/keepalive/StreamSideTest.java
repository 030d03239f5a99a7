// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.netserv.sip.SipScanner;

class StreamSideTest {
  private static final String PING = "\r\n\r\n";
  private static final String HEAD =
      "OPTIONS sip:a SIP/2.0\r\nVia: SIP/2.0/TCP b;branch=z9\r\nContent-Length: 8\r\n\r\n";
  private static final String MESSAGE = HEAD + PING.repeat(2); // a body that looks like pings
  private static final String SHORT = "OPTIONS sip:a SIP/2.0\r\nl: 0\r\n\r\n";

  private final ByteBuffer out = ByteBuffer.allocate(1 << 20);
  private int pings;
  private int lineEnds;
  private boolean forward;

  private final StreamSide.Judge judge =
      new StreamSide.Judge() {
        @Override
        public boolean ping() {
          pings++;
          return forward;
        }

        @Override
        public void lineEnd() {
          lineEnds++;
        }
      };

  private StreamSide side(boolean agent) {
    pings = 0;
    lineEnds = 0;
    out.clear();
    return new StreamSide(new SipScanner(), agent, judge);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private void feed(StreamSide side, byte[] bytes, int from, int to) {
    int at = from;
    while (at < to) {
      int count = Math.min(to - at, side.room().remaining());
      assertTrue(count > 0, "no room");
      side.room().put(bytes, at, count);
      side.move(out);
      at += count;
    }
  }

  private String out() {
    return new String(out.array(), 0, out.position(), StandardCharsets.ISO_8859_1);
  }

  @Test
  void cutAtEachByte() {
    byte[] stream = bytes(PING + MESSAGE + PING + "\r\n" + SHORT + PING + PING);
    for (int cut = 0; cut <= stream.length; cut++) {
      StreamSide side = side(true);
      feed(side, stream, 0, cut);
      feed(side, stream, cut, stream.length);
      assertEquals(MESSAGE + "\r\n" + SHORT, out(), "cut at " + cut);
      assertEquals(4, pings, "cut at " + cut);
      assertFalse(side.isOpaque());
    }
  }

  @Test
  void byteByByte() {
    byte[] stream = bytes(SHORT + PING + MESSAGE + PING);
    StreamSide side = side(true);
    for (int i = 0; i < stream.length; i++) {
      feed(side, stream, i, i + 1);
    }
    assertEquals(SHORT + MESSAGE, out());
    assertEquals(2, pings);
  }

  @Test
  void forwardedPingsKeepTheirPlace() {
    forward = true;
    StreamSide side = side(true);
    byte[] stream = bytes(PING + SHORT + PING + MESSAGE);
    feed(side, stream, 0, stream.length);
    assertEquals(PING + SHORT + PING + MESSAGE, out());
  }

  @Test
  void aServersLineEndsAreForwardedAndCounted() {
    StreamSide side = side(false);
    byte[] stream = bytes("\r\n" + MESSAGE + "\r\n\r\n" + SHORT);
    for (int i = 0; i < stream.length; i++) {
      feed(side, stream, i, i + 1);
    }
    assertEquals("\r\n" + MESSAGE + "\r\n\r\n" + SHORT, out());
    assertEquals(3, lineEnds);
    assertEquals(0, pings);
  }

  /** From then on pings are bytes like any other. */
  @Test
  void whatIsNoSipIsForwardedAsItComes() {
    for (String strange :
        new String[] {
          "\r\r\n\r\n",
          "\n",
          "\r\n\rx",
          "HELO example.com\r\n\r\n",
          "OPTIONS sip:a SIP/2.0\r\nCall-ID: no length\r\n\r\n",
          "OPTIONS sip:a SIP/2.0\r\nContent-Length: 1x\r\n\r\n",
          "\u0016\u0003\u0001 a TLS handshake\r\n\r\n",
        }) {
      byte[] stream = bytes(SHORT + strange + PING + PING);
      for (int cut = 0; cut <= stream.length; cut++) {
        StreamSide side = side(true);
        feed(side, stream, 0, cut);
        feed(side, stream, cut, stream.length);
        assertEquals(SHORT + strange + PING + PING, out(), strange);
        assertTrue(side.isOpaque(), strange);
        assertEquals(0, pings);
      }
    }
  }

  @Test
  void aMessageThatIsTooLongMakesTheStreamOpaque() {
    String body = "x".repeat(2 * StreamSide.MESSAGE_MOST);
    byte[] stream = bytes("INVITE sip:a SIP/2.0\r\nl: " + body.length() + "\r\n\r\n" + body + PING);
    StreamSide side = side(true);
    feed(side, stream, 0, stream.length);
    assertTrue(side.isOpaque());
    assertEquals(new String(stream, StandardCharsets.ISO_8859_1), out());
    StreamSide large = side(true);
    byte[] fits = bytes("INVITE sip:a SIP/2.0\r\nl: 60000\r\n\r\n" + "x".repeat(60_000) + PING);
    feed(large, fits, 0, fits.length);
    assertFalse(large.isOpaque());
    assertEquals(1, pings);
  }

  /** Whatever comes, in whatever pieces: the bytes leave in order, but for the pings answered. */
  @Test
  void mutants() {
    Random random = new Random(5626);
    byte[] good = bytes(PING + MESSAGE + PING + SHORT + "\r\n" + SHORT + PING);
    int answered = 0;
    for (int round = 0; round < 20_000; round++) {
      byte[] stream = good.clone();
      for (int i = random.nextInt(3); i > 0; i--) {
        stream[random.nextInt(stream.length)] = (byte) "\r\n: 0x".charAt(random.nextInt(6));
      }
      StreamSide side = side(true);
      for (int at = 0; at < stream.length; ) {
        int next = Math.min(stream.length, at + 1 + random.nextInt(40));
        feed(side, stream, at, next);
        at = next;
      }
      int kept = side.room().position();
      assertEquals(stream.length, out.position() + 4 * pings + kept);
      answered += pings;
    }
    assertTrue(answered > 20_000, "only " + answered + " pings were seen");
  }
}
