// SPDX-License-Identifier: Apache-2.0
package org.netserv.signaling;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.netserv.frames.FrameClient;
import org.netserv.frames.Json;
import org.netserv.ncm.Header;
import org.netserv.ncm.Method;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmBinary;
import org.netserv.ncm.ResponseEntry;
import org.netserv.ncm.ResponseStack;
import org.netserv.signaling.ControllerPort.Question;
import org.netserv.signaling.ControllerPort.Verdict;

/** Tests the client against a real controller, a process of its own, over its real socket. */
class ControllerClientTest {
  @TempDir Path root;
  private final ExecutorService gistThread = Executors.newSingleThreadExecutor();
  private ControllerClient client;

  @BeforeEach
  void directories() throws IOException {
    Files.createDirectories(root.resolve("dist/blocks"));
    Files.createDirectories(root.resolve("run/netserv"));
    client = new ControllerClient(root.resolve("run/netserv/signaling.sock"), "test", gistThread);
  }

  @AfterEach
  void close() {
    client.close();
    gistThread.shutdownNow();
  }

  private Daemon controller() throws Exception {
    int group = (Integer) Files.getAttribute(root, "unix:gid");
    String ids = "" + (group > 4 ? group - 3 : 690_000);
    return new Daemon(
            root,
            "org.netserv.controller.ControllerMain",
            "--dist",
            root.resolve("dist").toString(),
            "--ids",
            ids)
        .says("ready");
  }

  private static Question question(byte[] tlv) {
    return new Question(
        tlv, false, 1_000, OneNode.SOURCE, OneNode.USER, 2, true, OneNode.SOURCE, true);
  }

  private static byte[] probe() throws Exception {
    return NcmBinary.encode(Ncm.builder(Method.PROBE, "*").set(Header.PROBE, "node").build());
  }

  private Verdict ask(byte[] tlv) throws Exception {
    BlockingQueue<Verdict> answers = new LinkedBlockingQueue<>();
    client.ask(question(tlv), answers::add);
    Verdict verdict = answers.poll(60, TimeUnit.SECONDS);
    assertNotNull(verdict, "no answer");
    return verdict;
  }

  /** Returns the entry, or null if the controller made none. */
  private ResponseEntry sign(String ticket, ResponseEntry below) throws Exception {
    BlockingQueue<List<ResponseEntry>> answers = new LinkedBlockingQueue<>();
    client.sign(
        ticket,
        below,
        entry -> {
          List<ResponseEntry> one = new ArrayList<>();
          one.add(entry);
          answers.add(one);
        });
    List<ResponseEntry> answer = answers.poll(60, TimeUnit.SECONDS);
    assertNotNull(answer, "no answer");
    return answer.get(0);
  }

  @Test
  void withoutAControllerItIsAway() throws Exception {
    assertEquals(Verdict.Kind.AWAY, ask(probe()).kind());
    assertNull(sign("x", null));
    assertFalse(client.connected());
  }

  @Test
  void asksSignsReportsAndFindsTheControllerAgain() throws Exception {
    String ticket;
    try (Daemon controller = controller()) {
      Daemon.await(client::connected, "connected");
      Verdict verdict = ask(probe());
      assertEquals(Verdict.Kind.DECIDED, verdict.kind());
      assertEquals(200, verdict.status());
      ticket = verdict.ticket();
      ResponseEntry bottom = sign(ticket, null);
      ResponseEntry top = sign(ticket, bottom);
      List<ResponseStack.Checked> checked =
          ResponseStack.of(List.of(bottom, top)).verify(new byte[0]);
      assertEquals(ResponseStack.Signer.UNKNOWN, checked.get(0).signer());
      assertEquals(ResponseStack.Signer.UNKNOWN, checked.get(1).signer());
      assertNull(sign("0".repeat(32), null));

      assertEquals(400, ask(new byte[] {1}).status());
      byte[] trigger = OneNode.trigger();
      BlockingQueue<Verdict> answers = new LinkedBlockingQueue<>();
      client.ask(
          new Question(
              trigger, true, 0, OneNode.SOURCE, OneNode.USER, 2, true, OneNode.SOURCE, false),
          answers::add);
      Verdict refused = answers.poll(60, TimeUnit.SECONDS);
      assertEquals(403, refused.status(), "nobody knows that publisher here");
      assertNull(refused.message());

      var report = Json.object().put("op", "signaling-report");
      report.putObject("state").put("requests", 3);
      BlockingQueue<ObjectNode> reply = new LinkedBlockingQueue<>();
      client.report(report, reply::add);
      ObjectNode said = reply.poll(60, TimeUnit.SECONDS);
      assertTrue(said.path("publishers").path("tag").isTextual(), "the list of publishers");
      try (FrameClient admin =
          FrameClient.connect(
              root.resolve("run/netserv/admin.sock"), "test", Json.object().put("role", "admin"))) {
        Daemon.await(
            () ->
                admin
                        .request(Json.object().put("op", "status"), Duration.ofSeconds(30))
                        .path("signaling")
                        .path("requests")
                        .asInt()
                    == 3,
            "the report");
      }
      controller.signal("TERM");
      assertEquals(0, controller.end(), controller.text());
    }
    Daemon.await(() -> ask(probe()).kind() == Verdict.Kind.AWAY, "away");
    try (Daemon again = controller()) {
      Daemon.await(client::connected, "connected again");
      assertEquals(200, ask(probe()).status(), again.text());
      assertNull(sign(ticket, null), "tickets do not outlive the controller");
    }
  }

  /** More requests than a connection takes at a time. The rest waits its turn. */
  @Test
  void manyAtOnceAreAllAnswered() throws Exception {
    try (Daemon controller = controller()) {
      Daemon.await(client::connected, "connected");
      BlockingQueue<Verdict> answers = new LinkedBlockingQueue<>();
      for (int i = 0; i < 300; i++) {
        client.ask(question(probe()), answers::add);
      }
      for (int i = 0; i < 300; i++) {
        Verdict verdict = answers.poll(60, TimeUnit.SECONDS);
        assertNotNull(verdict, i + " answers; " + controller.text());
        assertEquals(Verdict.Kind.DECIDED, verdict.kind());
      }
    }
  }

  /** A message that would wait too long is not shown to the controller. */
  @Test
  void whatWaitsIsBounded() throws Exception {
    BlockingQueue<Verdict> answers = new LinkedBlockingQueue<>();
    for (int i = 0; i < 5_000; i++) {
      client.ask(question(probe()), answers::add);
    }
    for (int i = 0; i < 5_000; i++) {
      Verdict verdict = answers.poll(60, TimeUnit.SECONDS);
      assertNotNull(verdict);
      assertEquals(Verdict.Kind.AWAY, verdict.kind());
    }
    assertTrue(answers.isEmpty());
  }
}
