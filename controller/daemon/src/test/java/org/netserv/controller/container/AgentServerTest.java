// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.netserv.controller.loop.ControllerLoop;
import org.netserv.frames.FrameChannel;
import org.netserv.frames.Json;
import org.netserv.process.Overload;

/** The container socket over a real UNIX socket, against an agent played by the test. */
final class AgentServerTest {
  @TempDir Path directory;
  private final ControllerLoop loop = new ControllerLoop();
  private final BlockingQueue<Object> news = new LinkedBlockingQueue<>();
  private AgentServer server;
  private final Misdeeds misdeeds = new Misdeeds();
  private FrameChannel peer;
  private volatile Agent agent;
  private volatile long uidOfPeer;

  private final AgentListener listener =
      new AgentListener() {
        @Override
        public void greeted(long uid, Agent from, AgentHello hello) {
          agent = from;
          uidOfPeer = uid;
          news.add(hello);
        }

        @Override
        public void event(long uid, Agent from, AgentEvent event) {
          news.add(event);
        }

        @Override
        public void unasked(long uid, Agent from) {
          news.add("unasked");
        }

        @Override
        public void lost(long uid, Agent from, String why) {
          news.add("lost");
        }

        @Override
        public void misused(long uid, String why) {
          news.add(why);
        }
      };

  @BeforeEach
  void open() throws Exception {
    Path socket = directory.resolve("c.sock");
    server = new AgentServer(socket, -1, "test", loop, misdeeds, new Overload(), listener);
    peer = FrameChannel.connect(socket);
    peer.hello("test", hello());
    AgentHello hello = (AgentHello) next();
    assertEquals(List.of(new AgentHello.Module("a.b", "00ff", true, "")), hello.modules());
    assertEquals(((Number) Files.getAttribute(socket, "unix:uid")).longValue(), uidOfPeer);
  }

  private static ObjectNode hello() {
    ObjectNode hello = Json.object().put("profile", "base-1");
    hello
        .withArray("modules")
        .addObject()
        .put("module", "a.b")
        .put("sha256", "00ff")
        .put("state", "quarantined");
    return hello;
  }

  @AfterEach
  void close() throws IOException {
    peer.close();
    server.close();
    loop.close();
  }

  private Object next() throws InterruptedException {
    Object one = news.poll(20, TimeUnit.SECONDS);
    assertTrue(one != null, "nothing came");
    return one;
  }

  private ObjectNode op(String name) {
    return Json.object().put("op", name);
  }

  @Test
  void streamsABundleAndGetsItsReply() throws Exception {
    byte[] bundle = new byte[200_000];
    new Random(1).nextBytes(bundle);
    Path jar = Files.write(directory.resolve("b.jar"), bundle);
    AgentOrder order = install(sha256(bundle), bundle.length);
    loop.execute(() -> agent.change(order, jar, 20_000, news::add));
    ObjectNode install = peer.readJson();
    ByteArrayOutputStream got = new ByteArrayOutputStream();
    while (got.size() < install.path("size").asInt()) {
      got.write(peer.readBytes());
    }
    assertArrayEquals(bundle, got.toByteArray());
    peer.writeJson(
        Json.object()
            .put("id", install.path("id").asLong())
            .put("ok", true)
            .put("state", "running"));
    assertTrue(((AgentReply) next()).ok());
  }

  @Test
  void aBundleWithAnotherDigestIsNotSent() throws Exception {
    byte[] bundle = {1, 2, 3};
    Path jar = Files.write(directory.resolve("b.jar"), bundle);
    String other = sha256(new byte[3]);
    loop.execute(
        () -> {
          agent.change(install(other, bundle.length), jar, 20_000, news::add);
          agent.change(AgentOrder.uninstall("a"), null, 20_000, news::add);
        });
    AgentReply refused = (AgentReply) next();
    assertEquals("install", refused.phase());
    assertEquals("sha256: the stored bundle has " + sha256(bundle), refused.error());
    assertFalse(refused.ok() || refused.silent());
    assertEquals("uninstall", peer.readJson().path("op").asText(), "the next order, and no bytes");
  }

  private static String sha256(byte[] bytes) throws NoSuchAlgorithmException {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
  }

  private static AgentOrder install(String sha256, long size) {
    return AgentOrder.install(
        "a",
        new AgentOrder.Bundle("1.0.0", sha256, size),
        new AgentOrder.Settings(Map.of(), List.of()));
  }

  @Test
  void changesWaitForEachOtherQuestionsDoNot() throws Exception {
    loop.execute(
        () -> {
          agent.change(AgentOrder.uninstall("a"), null, 20_000, news::add);
          agent.change(AgentOrder.uninstall("b"), null, 20_000, news::add);
          agent.ask(op("ping"), 20_000, news::add);
        });
    ObjectNode first = peer.readJson();
    ObjectNode second = peer.readJson();
    assertEquals("a", first.path("module").asText());
    assertEquals("ping", second.path("op").asText());
    peer.writeJson(Json.object().put("id", first.path("id").asLong()).put("ok", true));
    ObjectNode third = peer.readJson();
    assertEquals("b", third.path("module").asText());
  }

  private FrameChannel connect() throws IOException {
    return FrameChannel.connect(directory.resolve("c.sock"));
  }

  private static void refused(FrameChannel channel) {
    assertThrows(IOException.class, channel::readText);
  }

  /** Waits until a counter, which grows on other threads, has reached a number. */
  private void await(Misdeed misdeed, long count) throws InterruptedException {
    for (int i = 0; i < 2_000; i++) {
      if (misdeeds.of(uidOfPeer).getOrDefault(misdeed.text(), 0L) >= count) {
        assertEquals(count, misdeeds.of(uidOfPeer).get(misdeed.text()));
        return;
      }
      Thread.sleep(10);
    }
    fail(misdeed + ": " + misdeeds.of(uidOfPeer));
  }

  @Test
  void aContainerHoldsTwoConnections() throws Exception {
    try (FrameChannel second = connect();
        FrameChannel third = connect();
        FrameChannel fourth = connect()) {
      second.readText();
      refused(third);
      refused(fourth);
      await(Misdeed.CONNECTIONS, 2);
    }
    // The server sees the end on a thread of its own.
    for (int i = 0; i < 2_000; i++) {
      try (FrameChannel again = connect()) {
        again.readText();
        return;
      } catch (IOException e) {
        Thread.sleep(10);
      }
    }
    fail("there is room for an agent again");
  }

  @Test
  void aSecondAgentCannotTakeThePlaceOfTheFirst() throws Exception {
    Agent first = agent;
    try (FrameChannel second = connect()) {
      second.hello("hostile", hello());
      assertEquals("another connection has greeted", second.readJson().path("error").asText());
      refused(second);
    }
    await(Misdeed.SECOND_AGENT, 1);
    loop.execute(() -> first.ask(op("ping"), 20_000, news::add));
    ObjectNode ping = peer.readJson();
    peer.writeJson(Json.object().put("id", ping.path("id").asLong()).put("ok", true));
    assertTrue(((ObjectNode) next()).path("ok").asBoolean());
    peer.close();
    assertEquals("lost", next());
    onlyOpen(0);
    try (FrameChannel next = connect()) {
      next.hello("test", hello());
      assertEquals(1, ((AgentHello) next()).modules().size());
    }
  }

  /** Waits until the server has seen the end of all connections but these. */
  private void onlyOpen(int connections) throws InterruptedException {
    for (int i = 0; i < 2_000 && server.connections() > connections; i++) {
      Thread.sleep(10);
    }
    assertEquals(connections, server.connections());
  }

  @Test
  void aContainerConnectsTwelveTimesAMinute() throws Exception {
    // One of them is the agent's.
    for (int i = 1; i < AgentDoor.PER_MINUTE; i++) {
      try (FrameChannel one = connect()) {
        one.writeJson(Json.object().put("no", "hello"));
        one.readText();
        refused(one);
      }
      await(Misdeed.BAD_HELLO, i);
      onlyOpen(1);
    }
    try (FrameChannel one = connect()) {
      refused(one);
    }
    await(Misdeed.CONNECT_RATE, 1);
  }

  @Test
  void whatAContainerMayNotSayIsCountedAndDropped() throws Exception {
    peer.writeJson(Json.object().put("event", "crash").put("module", "a.b"));
    peer.writeJson(Json.object().put("id", 77).put("ok", true));
    peer.writeJson(Json.object().put("what", "ever"));
    peer.writeJson(hello().set("hello", Json.object().put("protocol", "1.0")));
    peer.writeJson(Json.object().put("event", "leak").put("module", "m\u202e").put("reason", "r"));
    assertEquals("unasked", next());
    assertEquals(new AgentEvent("leak", "m?", "r"), next());
    assertEquals(
        Map.of("unknown-event", 1L, "unasked-reply", 1L, "unknown-message", 1L, "second-hello", 1L),
        misdeeds.of(uidOfPeer));
  }

  @Test
  void aReplyIsBoundedAndCannotSayThatItWasMadeHere() throws Exception {
    loop.execute(() -> agent.change(AgentOrder.uninstall("a"), null, 20_000, news::add));
    peer.writeJson(
        Json.object()
            .put("id", peer.readJson().path("id").asLong())
            .put("ok", false)
            .put("here", true)
            .put("error", "x".repeat(60_000))
            .put("status", 200)
            .put("phase", "nonsense"));
    assertEquals(
        new AgentReply(false, OptionalInt.of(500), "", "x".repeat(509) + "...", false), next());
  }

  @Test
  void aLongFrameIsReadOnlyWhenADumpWasAskedFor() throws Exception {
    String line = "at x\n";
    String dump = line.repeat(20_000);
    loop.execute(() -> agent.ask(op("threads"), 20_000, news::add));
    long id = peer.readJson().path("id").asLong();
    loop.execute(() -> agent.ask(op("threads"), 20_000, news::add));
    assertEquals(
        "threads: another trace or thread dump is under way",
        ((ObjectNode) next()).path("error").asText());
    peer.writeJson(Json.object().put("id", id).put("ok", true).put("dump", dump));
    assertEquals(dump, ((ObjectNode) next()).path("dump").asText());
    peer.writeJson(Json.object().put("id", id).put("ok", true).put("dump", dump));
    assertEquals("lost", next());
    await(Misdeed.TOO_LONG, 1);
  }

  @Test
  void anAgentThatAnswersNothingIsAskedNoMore() throws Exception {
    loop.execute(
        () -> {
          for (int i = 0; i <= AgentConnection.PENDING; i++) {
            agent.ask(op("ping"), 60_000, news::add);
          }
        });
    assertEquals(
        "ping: 64 requests wait for an answer", ((ObjectNode) next()).path("error").asText());
  }

  @Test
  void misuseThatGoesOnIsSaidOnce() throws Exception {
    for (int i = 0; i < Misdeeds.PER_MINUTE + 30; i++) {
      peer.writeJson(Json.object().put("what", "ever"));
    }
    assertEquals(
        "misuses container.sock: more than 60 refusals a minute, the last one unknown-message",
        next());
    await(Misdeed.UNKNOWN_MESSAGE, Misdeeds.PER_MINUTE + 30);
    assertEquals(null, news.poll());
  }

  @Test
  void moreMessagesThanTheLoopTakesWait() throws Exception {
    CountDownLatch busy = new CountDownLatch(1);
    loop.execute(
        () -> {
          try {
            busy.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    String reason = "x".repeat(4_000);
    AtomicInteger written = new AtomicInteger();
    Thread flood =
        new Thread(
            () -> {
              try {
                for (int i = 0; i < 300; i++) {
                  peer.writeJson(Json.object().put("event", "leak").put("reason", reason));
                  written.incrementAndGet();
                }
              } catch (IOException e) {
                news.add(e);
              }
            });
    flood.start();
    for (int before = -1; before != written.get(); Thread.sleep(200)) {
      before = written.get();
    }
    assertTrue(written.get() < 200, written + " of 300 were taken while the loop took none");
    busy.countDown();
    for (int i = 0; i < 300; i++) {
      assertEquals("leak", ((AgentEvent) next()).kind());
    }
    flood.join();
  }

  @Test
  void timesOutAndIgnoresTheLateReply() throws Exception {
    loop.execute(() -> agent.ask(op("ping"), 1, news::add));
    ObjectNode late = peer.readJson();
    ObjectNode answer = (ObjectNode) next();
    assertTrue(answer.path("here").asBoolean());
    assertTrue(answer.path("error").asText().startsWith("ping: no answer"));
    peer.writeJson(Json.object().put("id", late.path("id").asLong()).put("ok", true));
    peer.writeJson(Json.object().put("event", "leak").put("module", "m"));
    assertEquals("unasked", next(), "the late reply");
    assertEquals("leak", ((AgentEvent) next()).kind());
  }

  @Test
  void aLostConnectionAnswersWhatWaits() throws Exception {
    loop.execute(() -> agent.ask(op("counters"), 60_000, news::add));
    peer.readJson();
    peer.close();
    assertTrue(((ObjectNode) next()).path("here").asBoolean());
    assertEquals("lost", next());
    loop.execute(() -> agent.ask(op("ping"), 60_000, news::add));
    assertTrue(((ObjectNode) next()).path("error").asText().startsWith("connection lost"));
  }

  @Test
  void aFileThatIsGoneDoesNotBreakTheConnection() throws Exception {
    loop.execute(
        () -> agent.change(install("00", 1), directory.resolve("none"), 60_000, news::add));
    assertTrue(((AgentReply) next()).error().contains("none"));
    loop.execute(() -> agent.ask(op("ping"), 20_000, news::add));
    assertEquals("ping", peer.readJson().path("op").asText());
  }
}
