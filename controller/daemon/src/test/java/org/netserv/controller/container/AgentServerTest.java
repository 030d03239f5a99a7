// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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

/** The container socket over a real UNIX socket, against an agent played by the test. */
final class AgentServerTest {
  @TempDir Path directory;
  private final ControllerLoop loop = new ControllerLoop();
  private final BlockingQueue<Object> news = new LinkedBlockingQueue<>();
  private AgentServer server;
  private FrameChannel peer;
  private Agent agent;

  private final AgentListener listener =
      new AgentListener() {
        @Override
        public void greeted(long uid, Agent from, ObjectNode hello) {
          agent = from;
          news.add(hello.put("uid", uid));
        }

        @Override
        public void event(long uid, Agent from, ObjectNode event) {
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
      };

  @BeforeEach
  void open() throws Exception {
    Path socket = directory.resolve("c.sock");
    server = new AgentServer(socket, -1, "test", loop, listener);
    peer = FrameChannel.connect(socket);
    peer.hello("test", Json.object().put("profile", "base-1"));
    ObjectNode hello = (ObjectNode) next();
    assertEquals("base-1", hello.path("profile").asText());
    assertEquals(
        ((Number) Files.getAttribute(socket, "unix:uid")).longValue(), hello.path("uid").asLong());
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
    loop.execute(
        () -> agent.change(op("install").put("size", bundle.length), jar, 20_000, news::add));
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
    assertEquals("running", ((ObjectNode) next()).path("state").asText());
  }

  @Test
  void changesWaitForEachOtherQuestionsDoNot() throws Exception {
    loop.execute(
        () -> {
          agent.change(op("uninstall").put("module", "a"), null, 20_000, news::add);
          agent.change(op("uninstall").put("module", "b"), null, 20_000, news::add);
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

  @Test
  void aContainerHoldsFewConnections() throws Exception {
    List<FrameChannel> silent = new ArrayList<>();
    for (int i = 1; i < AgentServer.CONNECTIONS; i++) {
      FrameChannel one = FrameChannel.connect(directory.resolve("c.sock"));
      one.readJson();
      silent.add(one);
    }
    FrameChannel surplus = FrameChannel.connect(directory.resolve("c.sock"));
    assertThrows(IOException.class, surplus::readJson);
    for (FrameChannel one : silent) {
      one.close();
    }
    // The server sees their ends on threads of its own.
    for (int i = 0; i < 2_000; i++) {
      try (FrameChannel again = FrameChannel.connect(directory.resolve("c.sock"))) {
        again.readJson();
        return;
      } catch (IOException e) {
        Thread.sleep(10);
      }
    }
    fail("there is room for an agent again");
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
    String reason = "x".repeat(100_000);
    AtomicInteger written = new AtomicInteger();
    Thread flood =
        new Thread(
            () -> {
              try {
                for (int i = 0; i < 200; i++) {
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
    assertTrue(written.get() < 100, written + " of 200 were taken while the loop took none");
    busy.countDown();
    for (int i = 0; i < 200; i++) {
      assertEquals("leak", ((ObjectNode) next()).path("event").asText());
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
    assertEquals("leak", ((ObjectNode) next()).path("event").asText());
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
    loop.execute(() -> agent.change(op("install"), directory.resolve("none"), 60_000, news::add));
    assertTrue(((ObjectNode) next()).path("error").asText().contains("none"));
    loop.execute(() -> agent.ask(op("ping"), 20_000, news::add));
    assertEquals("ping", peer.readJson().path("op").asText());
  }
}
