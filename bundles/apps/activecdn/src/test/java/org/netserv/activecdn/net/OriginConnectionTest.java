// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.netserv.activecdn.core.Origin;
import org.netserv.activecdn.core.Rig;
import org.netserv.activecdn.core.Why;
import org.netserv.http.Body;
import org.netserv.http.HeadLimits;
import org.netserv.http.HttpMethod;
import org.netserv.http.ResponseHead;

/** HTTP/1.1 toward the origin, in virtual time. */
@SuppressWarnings("FutureReturnValueIgnored") // embedded channels are done at once
class OriginConnectionTest {
  private static final OriginSettings SETTINGS =
      new OriginSettings(HeadLimits.USUAL, 5_000, 30_000, 20_000, 10_000, 2, 0, 1);
  private static final String REQUEST = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

  private final Rig rig = new Rig();
  private final Deque<Runnable> later = new ArrayDeque<>();
  private final Deque<OriginConnection> dialed = new ArrayDeque<>();
  private final OriginPool pool = new OriginPool(later::add, dialed::add, SETTINGS, rig, rig.tally);

  /** Writes down the calls that a fetch hears. */
  private static final class Heard implements Origin.Sink {
    final List<String> news = new ArrayList<>();
    private final StringBuilder content = new StringBuilder();

    @Override
    public void interim(ResponseHead head) {
      news.add("interim " + head.status());
    }

    @Override
    public void head(ResponseHead head, Body body) {
      news.add(head.status() + " " + body);
    }

    @Override
    public void content(byte[] bytes, int from, int to) {
      content.append(new String(bytes, from, to - from, StandardCharsets.ISO_8859_1));
    }

    @Override
    public void end() {
      news.add("end " + content);
    }

    @Override
    public void failed(Why why) {
      news.add(why + " " + content);
    }

    @Override
    public void writable() {
      news.add("writable");
    }

    String text() {
      return String.join(", ", news);
    }
  }

  private Origin.Call ask(Heard heard) {
    return pool.ask(
        new Origin.Question(Rig.latin(REQUEST), HttpMethod.GET, Body.NONE, true), heard);
  }

  private EmbeddedChannel connect() {
    return new EmbeddedChannel(dialed.remove());
  }

  private static void send(EmbeddedChannel channel, String text) {
    channel.writeInbound(Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1));
  }

  private static String received(EmbeddedChannel from) {
    StringBuilder text = new StringBuilder();
    for (ByteBuf bytes = from.readOutbound(); bytes != null; bytes = from.readOutbound()) {
      text.append(bytes.toString(StandardCharsets.ISO_8859_1));
      bytes.release();
    }
    return text.toString();
  }

  /** Sends bytes and then, if asked, closes; returns what the fetch heard. */
  private String hear(String text, int slice, boolean closes) {
    Heard heard = new Heard();
    ask(heard);
    EmbeddedChannel channel = connect();
    assertEquals(REQUEST, received(channel));
    for (int at = 0; at < text.length() && channel.isOpen(); at += slice) {
      send(channel, text.substring(at, Math.min(text.length(), at + slice)));
    }
    if (closes) {
      channel.close();
    }
    String news = heard.text();
    channel.close();
    return news;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "HTTP/1.1 200 OK\\r\\nContent-Length: 5\\r\\n\\r\\nhello | 200 LENGTH, end hello",
        "HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\n\\r\\n | '200 LENGTH, end '",
        "HTTP/1.1 204 \\r\\n\\r\\n | '204 NONE, end '",
        "HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked\\r\\n\\r"
            + "\\n5\\r\\nhello\\r\\n0\\r\\nX: y\\r\\n\\r\\n"
            + " | 200 CHUNKED, end hello",
        "HTTP/1.1 103 \\r\\n\\r\\nHTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nab"
            + " | interim 103, 200 LENGTH, end ab",
        "HTTP/1.1 101 \\r\\n\\r\\n | 'ORIGIN_HEAD '",
        "HTTP/1.1 200 OK\\r\\nContent-Length: 5\\r"
            + "\\nContent-Length: 6\\r\\n\\r\\nhello | 'ORIGIN_HEAD '",
        "HTTP/1.1 200 OK\\nContent-Length: 5\\n\\nhello | 'ORIGIN_HEAD '",
        "HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked\\r\\n\\r"
            + "\\n5\\r\\nhello\\r\\nx | 200 CHUNKED, ORIGIN_CONTENT hello",
        "SSH-2.0-x\\r\\n\\r\\n | 'ORIGIN_HEAD '"
      })
  void inAnySlicesAResponseIsTheSame(String text, String news) {
    String bytes = text.translateEscapes();
    for (int slice = 1; slice <= bytes.length(); slice++) {
      assertEquals(news, hear(bytes, slice, false), "slices of " + slice);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "Content-Length: 5, hello",
    "Transfer-Encoding: chunked, '5\\r\\nhello\\r\\n0\\r\\n\\r\\n'"
  })
  void cutAtEachLengthAResponseIsNotWhole(String field, String body) {
    String whole = "HTTP/1.1 200 OK\r\n" + field + "\r\n\r\n" + body.translateEscapes();
    for (int cut = 0; cut < whole.length(); cut++) {
      String news = hear(whole.substring(0, cut), 7, true);
      assertTrue(news.contains("ORIGIN_CUT"), "cut at " + cut + ": " + news);
      assertFalse(news.contains("end"), "cut at " + cut + ": " + news);
    }
  }

  @Test
  void withoutALengthTheEndOfTheConnectionIsTheEnd() {
    assertEquals("200 UNTIL_CLOSE, end hello", hear("HTTP/1.1 200 OK\r\n\r\nhello", 4, true));
    Heard heard = new Heard();
    ask(heard);
    EmbeddedChannel channel = connect();
    send(channel, "HTTP/1.1 200 OK\r\n\r\nhello");
    channel.pipeline().fireExceptionCaught(new IOException("reset"));
    assertEquals("200 UNTIL_CLOSE, ORIGIN_CUT hello", heard.text());
  }

  @Test
  void aConnectionIsKeptAndUsedAgain() {
    hearOn(new Heard(), null);
    Heard heard = new Heard();
    ask(heard);
    assertEquals(0, dialed.size());
    assertEquals(1, rig.tally.get(Why.ORIGIN_REUSED));
  }

  private EmbeddedChannel hearOn(Heard heard, EmbeddedChannel kept) {
    ask(heard);
    EmbeddedChannel channel = kept == null ? connect() : kept;
    send(channel, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx");
    assertEquals("200 LENGTH, end x", heard.text());
    received(channel);
    return channel;
  }

  @Test
  void aKeptConnectionThatWasClosedIsReplacedOnce() {
    EmbeddedChannel channel = hearOn(new Heard(), null);
    Heard heard = new Heard();
    ask(heard);
    channel.close();
    assertEquals("", heard.text());
    EmbeddedChannel fresh = connect();
    assertEquals(REQUEST, received(fresh));
    fresh.close();
    assertEquals("ORIGIN_CUT ", heard.text());
    assertEquals(0, pool.connections());
  }

  @Test
  void aRequestThatMayNotBeRepeatedIsNot() {
    EmbeddedChannel channel = hearOn(new Heard(), null);
    Heard heard = new Heard();
    pool.ask(new Origin.Question(Rig.latin("POST"), HttpMethod.POST, Body.NONE, false), heard);
    channel.close();
    assertEquals("ORIGIN_CUT ", heard.text());
    assertEquals(0, dialed.size());
  }

  @Test
  void bytesThatNobodyAskedForEndTheConnection() {
    EmbeddedChannel channel = hearOn(new Heard(), null);
    send(channel, "HTTP/1.1 200 OK\r\n");
    assertFalse(channel.isOpen());
    assertEquals(1, rig.tally.get(Why.ORIGIN_UNASKED));
    Heard heard = new Heard();
    ask(heard);
    EmbeddedChannel excess = connect();
    send(excess, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxHTTP/1.1 200 OK\r\n\r\nevil");
    assertEquals("200 LENGTH, end x", heard.text());
    assertFalse(excess.isOpen());
    assertEquals(1, rig.tally.get(Why.ORIGIN_EXCESS));
  }

  @Test
  void closeEndsTheConnection() {
    Heard heard = new Heard();
    ask(heard);
    EmbeddedChannel channel = connect();
    send(channel, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx");
    assertFalse(channel.isOpen());
    assertEquals("200 LENGTH, end x", heard.text());
  }

  @Test
  void connectionsAndTheQueueAreBounded() {
    Heard[] heard = new Heard[4];
    for (int i = 0; i < heard.length; i++) {
      heard[i] = new Heard();
      ask(heard[i]);
    }
    assertEquals(2, dialed.size());
    later.remove().run();
    assertEquals("ORIGIN_BUSY ", heard[3].text());
    EmbeddedChannel channel = connect();
    received(channel);
    send(channel, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx");
    assertEquals(REQUEST, received(channel), "the one that waited");
    connect();
    Heard last = new Heard();
    ask(last);
    rig.pass(5_001);
    pool.sweep();
    assertEquals("ORIGIN_BUSY ", last.text());
  }

  @Test
  void timeEndsWaits() {
    Heard dialing = new Heard();
    ask(dialing);
    rig.pass(5_001);
    pool.sweep();
    assertEquals("ORIGIN_UNREACHABLE ", dialing.text());
    dialed.clear();
    Heard heading = new Heard();
    ask(heading);
    connect();
    rig.pass(30_001);
    pool.sweep();
    assertEquals("ORIGIN_TIMEOUT ", heading.text());
    Heard stalling = new Heard();
    Origin.Call call = ask(stalling);
    EmbeddedChannel channel = connect();
    send(channel, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx");
    call.hold(true);
    rig.pass(20_001);
    pool.sweep();
    assertTrue(channel.isOpen(), "the origin is not to blame while it is held");
    call.hold(false);
    rig.pass(20_001);
    pool.sweep();
    assertEquals("200 LENGTH, ORIGIN_TIMEOUT x", stalling.text());
    EmbeddedChannel idle = hearOn(new Heard(), null);
    rig.pass(10_001);
    pool.sweep();
    assertFalse(idle.isOpen());
    assertEquals(0, pool.connections());
  }

  @Test
  void aFailedDialIsTold() {
    Heard heard = new Heard();
    ask(heard);
    dialed.remove().dialFailed();
    assertEquals("ORIGIN_UNREACHABLE ", heard.text());
    assertEquals(0, pool.connections());
  }

  @Test
  void aRequestsContentIsFramed() {
    Heard heard = new Heard();
    Origin.Call call =
        pool.ask(
            new Origin.Question(Rig.latin("HEAD|"), HttpMethod.POST, Body.CHUNKED, false), heard);
    call.content(Rig.latin("-early-"), 1, 6);
    assertFalse(call.isWritable());
    EmbeddedChannel channel = connect();
    assertEquals("HEAD|5\r\nearly\r\n", received(channel));
    assertEquals("writable", heard.text());
    call.content(Rig.latin("late"), 0, 4);
    call.contentEnd();
    assertEquals("4\r\nlate\r\n0\r\n\r\n", received(channel));
  }

  @Test
  void aCancelledRequestEndsItsConnection() {
    Heard heard = new Heard();
    Origin.Call call = ask(heard);
    EmbeddedChannel channel = connect();
    call.cancel();
    assertFalse(channel.isOpen());
    assertEquals("", heard.text());
    Origin.Call early = ask(heard);
    early.cancel();
    EmbeddedChannel kept = connect();
    assertTrue(kept.isOpen(), "a connection without a request waits for one");
    assertEquals("", received(kept));
  }

  @Test
  void mutantsAreNeverAnException() {
    Random random = new Random(5);
    byte[] sound =
        Rig.latin("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n");
    int whole = 0;
    for (int round = 0; round < 10_000; round++) {
      byte[] bytes = sound.clone();
      for (int i = random.nextInt(3); i > 0; i--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      }
      String text = new String(bytes, StandardCharsets.ISO_8859_1);
      String news = hear(text, 1 + random.nextInt(bytes.length), true);
      whole += news.endsWith("end hello") ? 1 : 0;
      assertEquals(0, pool.connections());
    }
    assertTrue(whole > 3_000, "only " + whole + " were sound");
  }

  // ---- connections made ahead

  private OriginPool pool(int connections, int ready) {
    OriginSettings settings =
        new OriginSettings(HeadLimits.USUAL, 5_000, 30_000, 20_000, 10_000, connections, ready, 1);
    return new OriginPool(later::add, dialed::add, settings, rig, rig.tally);
  }

  private static void ask(OriginPool pool) {
    pool.ask(new Origin.Question(Rig.latin(REQUEST), HttpMethod.GET, Body.NONE, true), new Heard());
  }

  @Test
  void aRequestHasConnectionsMadeForTheNext() {
    OriginPool ahead = pool(64, 2);
    assertEquals(0, dialed.size()); // none before the first request
    ask(ahead);
    assertEquals(3, dialed.size());
    EmbeddedChannel first = connect();
    EmbeddedChannel second = connect();
    assertEquals(REQUEST, received(first));
    assertEquals("", received(second));
    ask(ahead); // takes one that stands, and has another one made for it
    assertEquals(REQUEST, received(second));
    assertEquals(2, dialed.size());
    assertEquals(4, ahead.connections());
  }

  @Test
  void connectionsMadeAheadKeepToTheLimit() {
    OriginPool ahead = pool(2, 2);
    ask(ahead);
    assertEquals(2, dialed.size());
    ask(ahead); // waits for the one that is coming
    assertEquals(2, dialed.size());
    EmbeddedChannel first = connect();
    EmbeddedChannel second = connect();
    assertEquals(REQUEST, received(first));
    assertEquals(REQUEST, received(second));
  }

  @Test
  void connectionsMadeAheadEndWhenNobodyAsks() {
    OriginPool ahead = pool(64, 2);
    ask(ahead);
    connect();
    connect();
    connect();
    rig.pass(10_001);
    ahead.sweep();
    assertEquals(1, ahead.connections()); // its request has no answer yet
    assertEquals(0, dialed.size());
  }

  @Test
  void aFailedConnectionMadeAheadIsNotMadeAgainBeforeTheNextRequest() {
    OriginPool ahead = pool(64, 1);
    ask(ahead);
    connect();
    dialed.remove().dialFailed();
    assertEquals(0, dialed.size());
    ask(ahead);
    assertEquals(2, dialed.size());
  }
}
