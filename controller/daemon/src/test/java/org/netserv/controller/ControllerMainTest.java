// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.netserv.frames.FrameClient;
import org.netserv.frames.Json;
import org.netserv.ncm.ResponseEntry;
import org.netserv.ncm.ResponseStack;

/**
 * The process as the supervisor starts it, but without a spawner: its start, its sockets, its
 * signals, its end.
 */
final class ControllerMainTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  @TempDir Path root;
  private Process process;

  @BeforeEach
  void dist() throws IOException {
    Files.createDirectories(root.resolve("dist/blocks"));
  }

  @AfterEach
  void end() throws InterruptedException {
    if (process != null) {
      process.destroyForcibly();
      assertTrue(process.waitFor(30, TimeUnit.SECONDS));
    }
  }

  private void start() throws IOException {
    // Restores SIGHUP as the supervisor does. A program under nohup ignores SIGHUP, and so would
    // the daemon.
    List<String> command = new ArrayList<>(List.of("env", "--default-signal=HUP"));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")); // as the tests
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of("org.netserv.controller.ControllerMain", "--root", root.toString()));
    command.addAll(List.of("--dist", root.resolve("dist").toString(), "--ids", "" + ids()));
    process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output().toFile())
            .start();
  }

  /** Group of container.sock = ids + 3: our own, so that an unprivileged user may set it. */
  private long ids() throws IOException {
    int group = (Integer) Files.getAttribute(root, "unix:gid");
    return group > 3 ? group - 3 : 690_000;
  }

  private Path output() {
    return root.resolve("output");
  }

  private String text() throws IOException {
    return Files.readString(output(), StandardCharsets.UTF_8);
  }

  private interface Condition {
    boolean holds() throws IOException;
  }

  private void await(String what, Condition condition) throws Exception {
    long end = System.nanoTime() + LONG.toNanos();
    while (!condition.holds()) {
      assertTrue(System.nanoTime() < end, what + " in: " + text());
      Thread.sleep(20);
    }
  }

  private FrameClient connect(String socket, String role) throws IOException {
    return FrameClient.connect(
        root.resolve("run/netserv/" + socket + ".sock"), "test", Json.object().put("role", role));
  }

  @Test
  void startsServesReloadsAndStops() throws Exception {
    start();
    await("ready", () -> text().contains("ready"));
    try (FrameClient admin = connect("admin", "admin")) {
      ObjectNode status = admin.request(Json.object().put("op", "status"), LONG);
      assertEquals(26, status.path("nodeId").asText().length());
      assertFalse(status.path("spawner").asBoolean());
      ObjectNode probe =
          Json.object().put("op", "ncm").put("ncm", "PROBE * NETSERV/1.0\nprobe:node\n\n");
      ObjectNode answer = admin.request(probe, LONG);
      assertEquals(200, answer.path("status").asInt(), answer.toString());
      ResponseEntry entry =
          ResponseEntry.decode(Base64.getDecoder().decode(answer.path("stack").path(0).asText()));
      assertEquals(status.path("nodeId").asText(), entry.nodeId());
      assertEquals(
          ResponseStack.Signer.VERIFIED,
          ResponseStack.of(List.of(entry))
              .verify(new byte[0], java.util.Set.of(entry.nodeId()))
              .get(0)
              .signer());
      ObjectNode bad = admin.request(Json.object().put("op", "ncm").put("ncm", "SETUP"), LONG);
      assertEquals(400, bad.path("status").asInt());
    }
    Path socket = root.resolve("run/netserv/signaling.sock");
    assertEquals((int) ids() + 4, Files.getAttribute(socket, "unix:gid"));
    try (FrameClient signaling = connect("signaling", "signaling")) {
      assertFalse(
          signaling.request(Json.object().put("op", "status"), LONG).path("ok").asBoolean());
    }
    Files.writeString(root.resolve("etc/netserv/node.yaml"), "sysctl: sometimes\n");
    assertEquals(0, new ProcessBuilder("kill", "-HUP", "" + process.pid()).start().waitFor());
    await("reload", () -> text().contains("the old policy stays"));
    process.destroy();
    assertTrue(process.waitFor(30, TimeUnit.SECONDS));
    assertEquals(0, process.exitValue(), text());
    assertFalse(Files.exists(root.resolve("run/netserv/admin.sock")));
  }

  @Test
  void refusesToStartWithABadPolicy() throws Exception {
    Files.createDirectories(root.resolve("etc/netserv"));
    Files.writeString(root.resolve("etc/netserv/node.yaml"), "sysctl: sometimes\n");
    start();
    assertTrue(process.waitFor(30, TimeUnit.SECONDS));
    assertEquals(1, process.exitValue());
    assertTrue(text().contains("node.yaml") && text().contains("sysctl"), text());
  }

  @Test
  void refusesToStartWithADamagedLog() throws Exception {
    Files.createDirectories(root.resolve("var/lib/netserv"));
    Files.writeString(root.resolve("var/lib/netserv/log.mv"), "x".repeat(10_000));
    start();
    assertTrue(process.waitFor(30, TimeUnit.SECONDS));
    assertEquals(1, process.exitValue());
    assertTrue(text().contains("log.mv"), text());
  }
}
