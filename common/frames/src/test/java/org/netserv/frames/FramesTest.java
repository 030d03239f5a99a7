// SPDX-License-Identifier: Apache-2.0
package org.netserv.frames;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.netserv.frames.FrameException.Reason;

/** Over real UNIX sockets. */
class FramesTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  @TempDir Path directory;
  private Path socket;
  private FrameServer server;
  private final BlockingQueue<Object> received = new LinkedBlockingQueue<>();

  @BeforeEach
  void place() {
    socket = directory.resolve("test.sock");
  }

  @AfterEach
  void close() throws IOException {
    if (server != null) {
      server.close();
    }
  }

  private void listen(FrameServer.Handler handler) throws IOException {
    server = FrameServer.listen(socket, "rw-rw----", -1, handler);
  }

  /** Says hello, then puts the message, or the reason of its failure, into {@link #received}. */
  private void listenForOne() throws IOException {
    listen(
        (channel, peer) -> {
          try {
            channel.limit(1000).hello("server", Json.object());
            received.add(channel.readJson());
          } catch (FrameException e) {
            received.add(e.reason());
            throw e;
          }
        });
  }

  private static byte[] frame(int length, int kind, byte[] body) {
    return ByteBuffer.allocate(5 + body.length).putInt(length).put((byte) kind).put(body).array();
  }

  private static byte[] json(String text) {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    return frame(body.length + 1, 'J', body);
  }

  private static final byte[] HELLO = json("{\"hello\":{\"protocol\":\"1.7\",\"build\":\"x\"}}");

  /** Sends raw bytes and closes. Returns the server's message or the reason of its failure. */
  private Object send(byte[]... parts) throws Exception {
    try (SocketChannel raw = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
      for (byte[] part : parts) {
        ByteBuffer buffer = ByteBuffer.wrap(part);
        while (buffer.hasRemaining()) {
          raw.write(buffer);
        }
      }
      raw.shutdownOutput();
      Object result = received.poll(60, TimeUnit.SECONDS);
      return result;
    }
  }

  @Test
  void helloRequestReplyAndEvent() throws Exception {
    listen(
        (channel, peer) -> {
          assertEquals("admin", channel.hello("server", Json.object()).path("role").asText());
          for (int i = 0; i < 3; i++) {
            ObjectNode request = channel.readJson();
            channel.writeJson(Json.object().put("event", "noise"));
            channel.writeJson(request.put("ok", true));
          }
        });
    List<String> events = new ArrayList<>();
    FrameChannel channel = FrameChannel.connect(socket);
    assertEquals(
        "server",
        channel.hello("client", Json.object().put("role", "admin")).at("/hello/build").asText());
    try (FrameClient client = new FrameClient(channel, e -> events.add(e.path("event").asText()))) {
      for (int i = 1; i <= 3; i++) {
        ObjectNode reply = client.request(Json.object().put("op", "x"), LONG);
        assertEquals(i, reply.path("id").asInt());
        assertEquals(i, events.size());
      }
      client.end().get(60, TimeUnit.SECONDS);
      assertThrows(FrameException.class, () -> client.request(Json.object(), LONG));
    }
  }

  @Test
  void timesOutByName() throws Exception {
    listen(
        (channel, peer) -> {
          channel.hello("server", Json.object());
          channel.readJson();
          channel.readJson();
        });
    try (FrameClient client = FrameClient.connect(socket, "client", Json.object())) {
      FrameException e =
          assertThrows(
              FrameException.class,
              () -> client.request(Json.object().put("op", "slow"), Duration.ofMillis(50)));
      assertEquals(Reason.TIMEOUT, e.reason());
      assertTrue(e.getMessage().contains("slow"));
    }
  }

  @Test
  void streamsBytesInFrames() throws Exception {
    byte[] body = new byte[3 * FrameChannel.CHUNK + 17];
    new Random(1).nextBytes(body);
    listen(
        (channel, peer) -> {
          channel.hello("server", Json.object());
          ObjectNode request = channel.readJson();
          ByteArrayOutputStream all = new ByteArrayOutputStream();
          while (all.size() < request.path("size").asInt()) {
            all.write(channel.readBytes());
          }
          received.add(all.toByteArray());
          channel.writeJson(request);
        });
    try (FrameClient client = FrameClient.connect(socket, "client", Json.object())) {
      ObjectNode request = Json.object().put("size", body.length);
      client.request(request, new ByteArrayInputStream(body), LONG);
      assertArrayEquals(body, (byte[]) received.poll(60, TimeUnit.SECONDS));
    }
  }

  @Test
  void anotherMajorIsRefusedInWords() throws Exception {
    listenForOne();
    try (FrameChannel channel = FrameChannel.connect(socket)) {
      channel.writeJson(
          Json.parse("{\"hello\":{\"protocol\":\"2.0\"}}".getBytes(StandardCharsets.UTF_8)));
      channel.readJson();
      assertTrue(channel.readJson().path("error").asText().startsWith("protocol 1.0"));
    }
    assertEquals(Reason.PROTOCOL, received.poll(60, TimeUnit.SECONDS));
  }

  @Test
  void garbageHasAName() throws Exception {
    listenForOne();
    assertEquals(Reason.PROTOCOL, send(json("{}")));
    assertEquals(Reason.EMPTY, send(HELLO, frame(0, 'J', new byte[0])));
    assertEquals(Reason.TOO_LONG, send(HELLO, frame(1001, 'J', new byte[0])));
    assertEquals(Reason.TOO_LONG, send(HELLO, frame(-1, 'J', new byte[0])));
    assertEquals(Reason.KIND, send(HELLO, frame(3, 'B', new byte[2])));
    assertEquals(Reason.KIND, send(HELLO, frame(3, 0, new byte[2])));
    assertEquals(Reason.NOT_OBJECT, send(HELLO, json("[1]")));
    assertEquals(Reason.NOT_OBJECT, send(HELLO, json("")));
    assertEquals(Reason.NOT_JSON, send(HELLO, json("{\"a\":1} {}")));
    assertEquals(Reason.NOT_JSON, send(HELLO, json("{\"a\":1,\"a\":2}")));
    assertEquals(Reason.NOT_JSON, send(HELLO, json("{\"a\":" + "[".repeat(500))));
    assertEquals(Reason.NOT_JSON, send(HELLO, frame(4, 'J', new byte[] {'{', (byte) 0xff, '}'})));
    assertEquals(Reason.CLOSED, send(HELLO));
    awaitRefusals(13);
    assertEquals(3, count(Reason.TOO_LONG) + count(Reason.EMPTY));
  }

  private long count(Reason reason) {
    return server.refusals().getOrDefault(reason, 0L);
  }

  private void awaitRefusals(long wanted) throws InterruptedException {
    long end = System.nanoTime() + LONG.toNanos();
    while (server.refusals().values().stream().mapToLong(Long::longValue).sum() < wanted) {
      assertTrue(System.nanoTime() < end, server.refusals().toString());
      Thread.sleep(1);
    }
  }

  @Test
  void truncatedAtEveryLength() throws Exception {
    listenForOne();
    byte[] frame = json("{\"op\":\"ping\",\"id\":7}");
    for (int length = 1; length < frame.length; length++) {
      byte[] cut = java.util.Arrays.copyOf(frame, length);
      assertEquals(Reason.TRUNCATED, send(HELLO, cut), "length " + length);
    }
    assertEquals(7, ((ObjectNode) send(HELLO, frame)).path("id").asInt());
  }

  @Test
  void randomBytesNeverBreakTheServer() throws Exception {
    listenForOne();
    Random random = new Random(5971);
    for (int round = 0; round < 300; round++) {
      byte[] noise = new byte[1 + random.nextInt(40)];
      random.nextBytes(noise);
      noise[0] = random.nextInt(4) == 0 ? noise[0] : 0;
      if (noise.length > 1) {
        noise[1] = random.nextInt(4) == 0 ? noise[1] : 0;
      }
      assertTrue(send(HELLO, noise) instanceof Reason);
    }
  }

  @Test
  void tellsWhoThePeerIs() throws Exception {
    listen((channel, peer) -> received.add(peer));
    try (FrameChannel channel = FrameChannel.connect(socket)) {
      Peer peer = (Peer) received.poll(60, TimeUnit.SECONDS);
      assertEquals(((Number) Files.getAttribute(socket, "unix:uid")).longValue(), peer.uid());
      assertTrue(channel.isOpen());
    }
    Path names = Files.writeString(directory.resolve("passwd"), "a:x:700:1\nbad\nb:x:nine:1\n");
    assertEquals(700, Peer.number(names, "a"));
    assertEquals(700001, Peer.number(names, "700001"));
    assertEquals(Peer.UNKNOWN, Peer.number(names, "b"));
    assertEquals(Peer.UNKNOWN, Peer.number(names, "nobody-here"));
    assertEquals(Peer.UNKNOWN, Peer.number(directory.resolve("none"), "a"));
  }

  @Test
  void takesThePlaceOfADeadServerAndCleansUp() throws Exception {
    listenForOne();
    assertEquals("rw-rw----", PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)));
    FrameServer old = server;
    listenForOne();
    assertEquals(8, ((ObjectNode) send(HELLO, json("{\"id\":8}"))).path("id").asInt());
    server.close();
    assertFalse(Files.exists(socket));
    old.close();
  }

  @Test
  void refusesLimitsThatCannotBe() throws Exception {
    try (SocketChannel raw = SocketChannel.open(java.net.StandardProtocolFamily.UNIX);
        FrameChannel channel = new FrameChannel(raw)) {
      assertThrows(IllegalArgumentException.class, () -> channel.limit(0));
      assertThrows(IllegalArgumentException.class, () -> channel.limit(FrameChannel.MAX + 1));
    }
  }

  /** Lets one peer in at a time, and keeps count. */
  private static final class OneAtATime implements FrameServer.Door {
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger inside = new AtomicInteger();

    @Override
    public boolean enter(Peer peer) {
      asked.incrementAndGet();
      return inside.compareAndSet(0, 1);
    }

    @Override
    public void leave(Peer peer) {
      inside.decrementAndGet();
    }
  }

  @Test
  void aDoorDecidesBeforeAThreadIsMade() throws Exception {
    OneAtATime door = new OneAtATime();
    AtomicInteger served = new AtomicInteger();
    FrameServer.Handler handler =
        (channel, peer) -> {
          served.incrementAndGet();
          channel.sayHello("server", Json.object());
          channel.agree(Json.parse(channel.readText()).path("hello").path("protocol").asText(""));
          received.add(new String(channel.readText(), StandardCharsets.UTF_8));
          channel.readText();
        };
    server = FrameServer.listen(socket, "rw-rw----", -1, 8, door, handler);
    try (FrameChannel first = FrameChannel.connect(socket)) {
      first.hello("client", Json.object());
      for (int i = 0; i < 20; i++) {
        try (FrameChannel more = FrameChannel.connect(socket)) {
          FrameException e = assertThrows(FrameException.class, more::readText);
          assertEquals(FrameException.Reason.CLOSED, e.reason());
        }
      }
      assertEquals(1, served.get());
      assertEquals(1, server.peers());
      first.writeJson(Json.object().put("id", 5));
      assertEquals("{\"id\":5}", received.poll(60, TimeUnit.SECONDS));
    }
    assertEquals(21, door.asked.get());
    while (door.inside.get() > 0) {
      Thread.sleep(1); // The end is seen on the connection's thread.
    }
    try (FrameChannel next = FrameChannel.connect(socket)) {
      next.hello("client", Json.object());
    }
  }

  @Test
  void anotherVersionIsQuotedInPart() throws Exception {
    listenForOne();
    try (FrameChannel channel = FrameChannel.connect(socket)) {
      ObjectNode hello = Json.object();
      hello.putObject("hello").put("protocol", "9".repeat(900));
      channel.writeJson(hello);
      channel.readJson();
      String error = channel.readJson().path("error").asText();
      assertTrue(error.endsWith("'" + "9".repeat(32) + "'"), error);
    }
  }
}
