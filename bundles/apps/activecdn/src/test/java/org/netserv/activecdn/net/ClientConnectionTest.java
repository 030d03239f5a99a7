// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.activecdn.core.Rig;
import org.netserv.activecdn.core.Why;

/** HTTP/1.1 toward clients, in virtual time. */
@SuppressWarnings("FutureReturnValueIgnored") // embedded channels are done at once
class ClientConnectionTest {
  private static final ServerSettings SETTINGS =
      new ServerSettings(10_000, 60_000, 30_000, 3, 2, List.of());
  private static final String GET = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n";
  private static final String FRESH = "Cache-Control: max-age=1000";

  private final Rig rig = new Rig();
  private final Clients clients = new Clients(rig.edge, SETTINGS);
  private final EmbeddedChannel channel = client();

  private EmbeddedChannel client() {
    return new EmbeddedChannel(new Gate(clients), new ClientConnection(clients, null));
  }

  private void send(String text) {
    channel.writeInbound(Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1));
  }

  private String received() {
    return received(channel);
  }

  private static String received(EmbeddedChannel from) {
    StringBuilder text = new StringBuilder();
    for (ByteBuf bytes = from.readOutbound(); bytes != null; bytes = from.readOutbound()) {
      text.append(bytes.toString(StandardCharsets.ISO_8859_1));
      bytes.release();
    }
    return text.toString();
  }

  /** Drops all field lines but the framing. */
  private static String framing(String response) {
    return response
        .replaceAll("(?m)^(?!Transfer|Content-Length|Connection)[A-Z][A-Za-z-]*: .*\r\n", "")
        .replace("\r\n", "\n");
  }

  private void store(String text) {
    send(GET);
    rig.next().answer(200, text, FRESH);
    received();
  }

  @Test
  void requestsFollowEachOtherOnAConnection() {
    send(GET);
    rig.next().answer(200, "one", FRESH);
    assertEquals("HTTP/1.1 200 \nContent-Length: 3\n\none", framing(received()));
    send(GET);
    assertEquals("HTTP/1.1 200 \nContent-Length: 3\n\none", framing(received()));
    assertTrue(channel.isOpen());
  }

  @Test
  void pipelinedRequestsAreAnsweredInTheirOrder() {
    store("hit");
    String other = GET.replace("/x", "/y");
    send(GET + other + GET + other.replace("/y", "/z"));
    assertEquals("HTTP/1.1 200 \nContent-Length: 3\n\nhit", framing(received()));
    assertEquals(2, rig.asked.size(), "the request behind a miss waits");
    rig.next().answer(200, "miss", FRESH);
    assertEquals(
        "HTTP/1.1 200 \nContent-Length: 4\n\nmissHTTP/1.1 200 \nContent-Length: 3\n\nhit",
        framing(received()));
    rig.next().answer(200, "last", FRESH);
    assertTrue(received().endsWith("\r\n\r\nlast"));
  }

  @Test
  void tenThousandPipelinedHitsNeedNoStack() {
    store("hit");
    send(GET.repeat(10_000));
    assertEquals(10_000, received().split("\r\n\r\nhit", -1).length - 1);
  }

  @Test
  void splitAtEachByteARequestIsTheSame() {
    String post =
        String.join(
            "\r\n",
            "POST /x HTTP/1.1",
            "Host: a",
            "Transfer-Encoding: chunked",
            "",
            "5",
            "hello",
            "0",
            "X: y",
            "\r\n");
    for (char octet : (post + post).toCharArray()) {
      send(Character.toString(octet));
      if (rig.asked.size() == 1
          && rig.asked.get(0).isContentEnded
          && !rig.asked.get(0).isAnswered) {
        rig.asked.get(0).answer(200, "");
      }
    }
    rig.asked.get(1).answer(201, "");
    for (Rig.Asked each : rig.asked) {
      assertEquals("hello", each.content.toString(StandardCharsets.US_ASCII));
    }
    assertEquals(
        "HTTP/1.1 200 \nContent-Length: 0\n\nHTTP/1.1 201 \nContent-Length: 0\n\n",
        framing(received()));
  }

  @Test
  void aContentWithoutALengthIsChunkedOrEndsTheConnection() {
    send(GET);
    rig.next().head(200, "Transfer-Encoding: chunked").send("hello").send("!").end();
    assertEquals(
        "HTTP/1.1 200 \nTransfer-Encoding: chunked\n\n5\nhello\n1\n!\n0\n\n", framing(received()));
    assertTrue(channel.isOpen());
    send("GET /y HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n");
    rig.next().head(200, "Transfer-Encoding: chunked").send("hello").end();
    assertEquals("HTTP/1.1 200 \nConnection: close\n\nhello", framing(received()));
    assertFalse(channel.isOpen());
  }

  @Test
  void anOldClientMayKeepItsConnection() {
    send("GET /x HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n");
    rig.next().answer(200, "one");
    assertEquals(
        "HTTP/1.1 200 \nContent-Length: 3\nConnection: keep-alive\n\none", framing(received()));
    assertTrue(channel.isOpen());
    send("GET /x HTTP/1.0\r\nHost: a\r\n\r\n");
    rig.next().answer(200, "one");
    assertTrue(received().contains("Connection: close"));
    assertFalse(channel.isOpen());
  }

  @Test
  void aCutResponseEndsTheConnectionShort() {
    send(GET);
    rig.next().head(200, FRESH, "Content-Length: 10").send("hello").fail(Why.ORIGIN_CUT);
    assertTrue(received().endsWith("\r\n\r\nhello"));
    assertFalse(channel.isOpen());
    EmbeddedChannel other = client();
    other.writeInbound(Unpooled.copiedBuffer(GET, StandardCharsets.ISO_8859_1));
    rig.next().head(200, FRESH, "Transfer-Encoding: chunked").send("hello").fail(Why.ORIGIN_CUT);
    assertTrue(received(other).endsWith("5\r\nhello\r\n"), "no last chunk");
    assertFalse(other.isOpen());
  }

  // ---- bad requests

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "GET /x HTTP/1.1\\nHost: a\\n\\n | 400",
        "GET /x HTTP/1.1\\r\\nHost: a\\r\\n b\\r\\n\\r\\n | 400",
        "GET /x HTTP/1.1\\r\\nHost : a\\r\\n\\r\\n | 400",
        "GET /x HTTP/1.1\\r\\n\\r\\n | 400",
        "GET /x HTTP/2.0\\r\\n\\r\\n | 505",
        "POST /x HTTP/1.1\\r\\nHost: a\\r\\nContent-Length: 3\\r"
            + "\\nTransfer-Encoding: chunked\\r\\n\\r\\n | 400",
        "POST /x HTTP/1.1\\r\\nHost: a\\r\\nContent-Length: 3\\r"
            + "\\nContent-Length: 3\\r\\n\\r\\n | 400",
        "POST /x HTTP/1.1\\r\\nHost: a\\r\\nContent-Length: +3\\r\\n\\r\\n | 400",
        "POST /x HTTP/1.1\\r\\nHost: a\\r\\nTransfer-Encoding: xchunked\\r\\n\\r\\n | 501",
        "POST /x HTTP/1.1\\r\\nHost: a\\r\\nTransfer-Encoding: chunked, identity\\r\\n\\r\\n | 400",
        "POST /x HTTP/1.1\\r\\nHost: a\\r\\nTransfer_Encoding: chunked\\r\\n\\r\\n | 400",
        "POST /x HTTP/1.0\\r\\nHost: a\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n | 400"
      })
  void smugglingFormsAreRefusedAndReachNobody(String text, int status) {
    send(text.translateEscapes() + "GET /admin HTTP/1.1\r\nHost: a\r\n\r\n");
    assertTrue(received().startsWith("HTTP/1.1 " + status), status + " expected");
    assertEquals(0, rig.asked.size());
    assertFalse(channel.isOpen());
    assertEquals(1, rig.tally.get(Why.REFUSED_HEAD));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"5\nhello\r\n", "5 \r\nhello\r\n", "5\r\nhello0\r\n", "ffffffffffffffff1\r\n"})
  void aFaultInChunksEndsTheRequestToTheOrigin(String chunks) {
    send("POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks);
    assertTrue(rig.asked.get(0).isCancelled);
    assertFalse(rig.asked.get(0).isContentEnded);
    assertTrue(received().startsWith("HTTP/1.1 4"));
    assertFalse(channel.isOpen());
    assertEquals(1, rig.tally.get(Why.REFUSED_CONTENT));
  }

  @Test
  void aHeadThatIsTooLargeIsRefused() {
    send("GET /x HTTP/1.1\r\nHost: a\r\nX: ");
    for (int i = 0; i < 20 && channel.isOpen(); i++) {
      send("x".repeat(1_000));
    }
    assertTrue(received().startsWith("HTTP/1.1 431"));
    assertFalse(channel.isOpen());
  }

  @Test
  void nonsenseEndsTheConnectionAndNothingElse() {
    Random random = new Random(11);
    byte[] sound =
        Rig.latin(GET + "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab" + GET);
    for (int round = 0; round < 5_000; round++) {
      byte[] bytes = sound.clone();
      for (int i = random.nextInt(5); i >= 0; i--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      }
      EmbeddedChannel each = client();
      int cut = random.nextInt(bytes.length);
      each.writeInbound(Unpooled.copiedBuffer(bytes, 0, cut));
      if (each.isOpen()) {
        each.writeInbound(Unpooled.copiedBuffer(bytes, cut, bytes.length - cut));
      }
      each.close();
      each.checkException();
      each.releaseOutbound();
    }
    assertEquals(1, clients.count(), "only the connection of the test itself");
  }

  // ---- time and numbers

  @Test
  void aHeadThatComesTooSlowlyIsRefused() {
    send("GET /x HTTP/1.1\r\n");
    for (int i = 0; i < 10; i++) {
      rig.pass(1_000);
      send("X: y\r\n");
      clients.sweep();
    }
    assertTrue(channel.isOpen());
    rig.pass(1);
    clients.sweep();
    assertTrue(received().startsWith("HTTP/1.1 408"));
    assertFalse(channel.isOpen());
    assertEquals(1, rig.tally.get(Why.HEAD_TIMEOUT));
  }

  @Test
  void anIdleConnectionIsClosedWithoutAWord() {
    store("one");
    rig.pass(60_000);
    clients.sweep();
    assertTrue(channel.isOpen());
    rig.pass(1);
    clients.sweep();
    assertFalse(channel.isOpen());
    assertEquals("", received());
    assertEquals(1, rig.tally.get(Why.IDLE_CLOSED));
    assertEquals(0, clients.count());
  }

  @Test
  void aContentThatDoesNotComeIsGivenUp() {
    send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhello");
    rig.pass(30_001);
    clients.sweep();
    assertTrue(received().startsWith("HTTP/1.1 408"));
    assertTrue(rig.asked.get(0).isCancelled);
    assertEquals(1, rig.tally.get(Why.CONTENT_TIMEOUT));
  }

  @Test
  void aWaitForTheOriginIsNotTheClientsFault() {
    send(GET);
    rig.pass(100_000);
    clients.sweep();
    assertTrue(channel.isOpen());
    rig.next().answer(200, "late");
    assertTrue(received().endsWith("late"));
  }

  @Test
  void anAddressHasAShareOfAllConnections() {
    EmbeddedChannel second = client();
    EmbeddedChannel third = client();
    assertTrue(second.isOpen());
    assertFalse(third.isOpen());
    assertEquals(1, rig.tally.get(Why.CONNECTIONS_SHARE));
    second.close();
    assertTrue(client().isOpen());
  }

  @Test
  void aClientThatGoesLeavesItsFetch() {
    send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
    channel.close();
    assertTrue(rig.asked.get(0).isCancelled);
    assertEquals(1, rig.tally.get(Why.CLIENT_GONE));
    assertEquals(0, clients.count());
  }

  @Test
  void anExpectedContinueComesFromTheOrigin() {
    send("PUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
    assertTrue(rig.next().head().contains("\nExpect: 100-continue\n"));
    rig.next().head(100);
    assertEquals("HTTP/1.1 100 \r\n\r\n", received());
    send("ab");
    assertTrue(rig.next().isContentEnded);
    rig.next().answer(201, "");
    assertTrue(received().startsWith("HTTP/1.1 201 "));
    assertTrue(channel.isOpen());
  }

  @Test
  void anAnswerInFrontOfTheContentEndsTheConnection() {
    send("PUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nab");
    rig.next().answer(413, "");
    assertEquals("HTTP/1.1 413 \nContent-Length: 0\nConnection: close\n\n", framing(received()));
    assertFalse(channel.isOpen());
  }
}
