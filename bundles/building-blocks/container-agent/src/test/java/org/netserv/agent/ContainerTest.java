// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.netserv.agent.FakeRing.Answer;
import org.netserv.agent.module.Configured;
import org.netserv.agent.module.Extending;
import org.netserv.agent.module.Limited;
import org.netserv.agent.module.Plain;
import org.netserv.agent.module.Strict;
import org.netserv.frames.FrameClient;
import org.netserv.frames.FrameServer;
import org.netserv.frames.Json;
import org.netserv.host.HostMain;
import org.netserv.host.Ring;
import org.netserv.packet.Packet;
import org.netserv.packet.Packets;

/** A whole container but for the C part: framework, building blocks, a controller, a ring. */
class ContainerTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final String FILTER =
      "{\"family\":4,\"protocol\":17,\"destination\":\"192.0.2.0/24\",\"destinationPorts\":\"5060\"}";

  @TempDir static Path directory;

  private static final BlockingQueue<ObjectNode> EVENTS = new ArrayBlockingQueue<>(100);
  private static final BlockingQueue<FrameClient> CONNECTIONS = new ArrayBlockingQueue<>(10);
  private static FakeRing ring;
  private static FrameServer server;
  private static ObjectNode hello;
  private static FrameClient agent;

  @BeforeAll
  static void boot() throws Exception {
    Path blocks = directory.resolve("blocks");
    Jars.blocks(blocks);
    ring = new FakeRing();
    Path socket = directory.resolve("container.sock");
    server = listen(socket);
    System.setProperty("netserv.start.millis", "2000");
    System.setProperty("netserv.leak.millis", "300");
    assertNull(
        HostMain.boot(
            blocks.toString(),
            directory.resolve("framework").toString(),
            directory.resolve("data").toString(),
            socket.toString(),
            ""));
    agent = CONNECTIONS.poll(60, TimeUnit.SECONDS);
  }

  private static FrameServer listen(Path socket) throws Exception {
    return FrameServer.listen(
        socket,
        "rw-------",
        -1,
        (channel, peer) -> {
          hello = channel.hello("test", Json.object());
          FrameClient client = new FrameClient(channel, EVENTS::add);
          CONNECTIONS.add(client);
          client.end().join();
        });
  }

  @AfterAll
  static void stop() throws Exception {
    HostMain.stop();
    server.close();
  }

  /** Removes the modules of an earlier test. */
  @AfterEach
  void empty() throws Exception {
    for (JsonNode module : ask("counters").path("modules")) {
      ask("uninstall", module.path("module").asText());
    }
    EVENTS.clear();
    ring.wakes.drainPermits();
    ring.upcall(0);
  }

  @Test
  void saysWhatItIs() {
    assertEquals("base-1", hello.path("profile").asText());
    List<String> names = hello.path("blocks").findValuesAsText("name");
    assertEquals(Jars.PROFILE, names);
    assertTrue(hello.path("modules").isArray());
  }

  @Test
  void packetsGoThroughTheChainByRank() throws Exception {
    assertOk(install("test.turn", "1.0.0", Plain.Turn.class, FILTER));
    assertOk(install("test.first", "1.0.0", Plain.First.class, FILTER));
    Packet dying = packet(5060);
    dying.setTtl(1);
    List<Answer> answers =
        ring.push(packet(5060).toBytes(), dying.toBytes(), packet(53).toBytes(), new byte[] {69});
    assertEquals(List.of(Ring.CHANGED, Ring.DROP, Ring.PASS, Ring.PASS), codes(answers));
    Packet turned = answers.get(0).packet();
    assertEquals(packet(5060).source4(), turned.destination4());
    assertEquals(5060, turned.sourcePort());
    assertEquals(30, turned.length());

    JsonNode counters = ask("counters");
    assertEquals(1, counters.path("dispatcher").path("malformed-short-header").asInt());
    JsonNode first = counters.path("modules").path(1);
    assertEquals("test.first", first.path("module").asText());
    assertEquals("1 1", first.path("drop").asText() + " " + first.path("pass").asText());
    assertEquals(2, ring.modules.size());
    assertEquals(2, ask("uninstall", "test.first").path("counters").path("packets").asInt());
    assertEquals(1, ring.modules.size());
    assertEquals(List.of(Ring.CHANGED), codes(ring.push(dying.toBytes())));
  }

  @Test
  void theTalliesThatAModuleShowsAreAddedUpWithoutItsCode() throws Exception {
    assertOk(install("test.counter", "1.0.0", Plain.Counter.class, FILTER));
    assertOk(install("test.first", "1.0.0", Plain.First.class, FILTER));
    JsonNode modules = ask("counters").path("modules");
    assertEquals("{\"DAYS\":1,\"SECONDS\":3}", modules.path(0).path("counts").toString());
    assertFalse(modules.path(1).has("counts"));
    assertNull(System.getProperty("test.counter.asked"));
    ask("uninstall", "test.counter");
    assertFalse(ask("counters").path("modules").path(0).has("counts"));
  }

  @Test
  void moduleThatThrowsIsQuarantinedAndItsPacketsPass() throws Exception {
    assertOk(install("test.overflow", "1.0.0", Plain.Overflow.class, FILTER));
    byte[] bytes = packet(5060).toBytes();
    List<Answer> answers = ring.push(bytes, bytes, bytes, bytes, bytes);
    assertEquals(List.of(0, 0, 0, 0, 0), codes(answers));
    ObjectNode event = EVENTS.poll(60, TimeUnit.SECONDS);
    assertEquals("quarantined", event.path("event").asText());
    assertTrue(event.path("reason").asText().contains("StackOverflowError"));
    assertEquals(64, event.path("sha256").asText().length());
    agent.close();
    agent = CONNECTIONS.poll(60, TimeUnit.SECONDS);
    JsonNode listed = hello.path("modules").path(0);
    assertEquals(event.path("sha256").asText(), listed.path("sha256").asText());
    assertTrue(listed.path("reason").asText().contains("StackOverflowError"));
    JsonNode module = ask("counters").path("modules").path(0);
    assertEquals(3, module.path("errors").asInt());
    assertEquals(3, module.path("packets").asInt());
    assertEquals("quarantined", module.path("state").asText());
  }

  @Test
  void theRulesThatAModuleShowsAreBounded() throws Exception {
    assertOk(install("test.ruler", "1.0.0", Plain.Ruler.class, FILTER));
    assertOk(install("test.first", "1.0.0", Plain.First.class, FILTER));
    ObjectNode request = Json.object().put("op", "rules").put("module", "test.ruler");
    ObjectNode all = request(request.deepCopy());
    assertOk(all);
    assertEquals(1000, all.path("count").asInt());
    assertEquals(128, all.path("rules").size());
    assertEquals(
        "{\"prefix\":\"0\",\"bits\":32,\"action\":\"forward\",\"target\":\"192.0.2.1:9\",\"origin\":\""
            + "o".repeat(64)
            + "\",\"preference\":1,\"priority\":2,\"weight\":3,\"hits\":4,\"kernel\":true}",
        all.path("rules").path(0).toString());
    JsonNode one = request(request.deepCopy().put("service", "4001")).path("rules").path(0);
    assertEquals("4001 7", one.path("prefix").asText() + " " + one.path("seconds").asText());
    ObjectNode silent = request(request.deepCopy().put("service", "dead"));
    assertEquals("test.ruler has not answered", silent.path("error").asText());
    ObjectNode none = request(request.deepCopy().put("module", "test.first"));
    assertEquals("test.first shows no rules", none.path("error").asText());
    ObjectNode away = request(request.deepCopy().put("module", "test.away"));
    assertEquals("module: no test.away here", away.path("error").asText());
  }

  @Test
  void aPreparedBundleWaitsAndRunsNoCode() throws Exception {
    byte[] jar = Jars.bundle("test.marked", "1.0.0", Plain.Marked.class, "org.netserv.packet");
    System.clearProperty("test.marked");
    ObjectNode prepared = send(order("prepare", "test.marked", "1.0.0"), jar);
    assertOk(prepared);
    assertEquals("prepared", prepared.path("state").asText());
    assertOk(send(order("prepare", "test.marked", "1.0.0"), jar));
    assertNull(System.getProperty("test.marked"), "not even a static initializer");
    assertEquals(0, ask("counters").path("modules").size());
    assertEquals(0, ring.modules.size());

    ObjectNode install = request("test.marked", "1.0.0", FILTER);
    install.put("sha256", sha256(jar));
    assertOk(send(install, new byte[0]));
    assertEquals("yes", System.getProperty("test.marked"));
    assertEquals(List.of(Ring.PASS), codes(ring.push(packet(5060).toBytes())));
    assertEquals(1, ask("uninstall", "test.marked").path("counters").path("packets").asInt());
  }

  @Test
  void aPreparedBundleIsDiscarded() throws Exception {
    byte[] jar = Jars.bundle("test.marked", "1.0.0", Plain.Marked.class, "org.netserv.packet");
    byte[] next = Jars.bundle("test.marked", "2.0.0", Plain.Marked.class, "org.netserv.packet");
    assertOk(send(order("prepare", "test.marked", "1.0.0"), jar));
    assertOk(send(order("prepare", "test.marked", "2.0.0"), next));
    ObjectNode install = request("test.marked", "1.0.0", FILTER);
    install.put("sha256", sha256(jar));
    ObjectNode refused = send(install, new byte[0]);
    assertEquals("size: 0 needs a bundle that has been prepared", refused.path("error").asText());
    assertOk(send(order("prepare", "test.marked", "2.0.0"), next));
    assertOk(ask("uninstall", "test.marked"));
    assertEquals(
        "no module test.marked here", ask("uninstall", "test.marked").path("error").asText());
    assertOk(install("test.marked", "2.0.0", Plain.Marked.class, FILTER));
    JsonNode here = send(order("prepare", "test.marked", "1.0.0"), jar);
    assertEquals("module: test.marked is here already", here.path("error").asText());
  }

  @Test
  void preparedBundlesAreBoundedAndHaveToResolve() throws Exception {
    byte[] lost = Jars.bundle("test.lost", "1.0.0", Plain.Turn.class, "no.such.thing");
    JsonNode refused = send(order("prepare", "test.lost", "1.0.0"), lost);
    assertEquals("resolve", refused.path("phase").asText());
    for (int i = 0; i < ModuleBundles.MOST; i++) {
      byte[] jar = Jars.bundle("test.many" + i, "1.0.0", Plain.Turn.class, "org.netserv.packet");
      assertOk(send(order("prepare", "test.many" + i, "1.0.0"), jar));
    }
    byte[] jar = Jars.bundle("test.more", "1.0.0", Plain.Turn.class, "org.netserv.packet");
    JsonNode full = send(order("prepare", "test.more", "1.0.0"), jar);
    assertEquals("at most 4 bundles wait for a start", full.path("error").asText());
    for (int i = 0; i < ModuleBundles.MOST; i++) {
      assertOk(ask("uninstall", "test.many" + i));
    }
  }

  @Test
  void stolenPacketsAreAnsweredLater() throws Exception {
    assertOk(install("test.thief", "1.0.0", Plain.Thief.class, FILTER));
    List<Answer> now = ring.push(packet(5060).toBytes());
    assertEquals(List.of(Ring.STOLEN), codes(now));
    assertTrue(ring.wakes.tryAcquire(60, TimeUnit.SECONDS));
    List<Answer> later = ring.upcall(0);
    assertEquals(List.of(Ring.CHANGED), codes(later));
    assertEquals(now.get(0).seq(), later.get(0).seq());
    assertEquals(328, later.get(0).packet().length());
  }

  @Test
  void tracesEachStepWithItsReason() throws Exception {
    assertOk(install("test.turn", "1.0.0", Plain.Turn.class, FILTER));
    ObjectNode request = Json.object().put("op", "trace").put("count", 1).put("timeout", 30000);
    CompletableFuture<ObjectNode> reply = CompletableFuture.supplyAsync(() -> request(request));
    while (!reply.isDone()) {
      ring.push(packet(5060).toBytes());
    }
    JsonNode packet = reply.join().path("packets").path(0);
    assertEquals("192.0.2.1:5060", packet.path("destination").asText());
    assertEquals("CHANGED", packet.path("final").asText());
    JsonNode step = packet.path("steps").path(0);
    assertEquals(
        "test.turn turned", step.path("module").asText() + " " + step.path("reason").asText());
  }

  @Test
  void propertiesAreThereBeforeTheFirstPacketAndCanChange() throws Exception {
    ObjectNode install = request("test.conf", "1.0.0", FILTER);
    install.putObject("properties").put("verdict", "drop");
    assertOk(
        send(install, Jars.bundle("test.conf", "1.0.0", Configured.class, "org.netserv.packet")));
    awaitVerdict(Ring.DROP);
    ObjectNode configure = request("test.conf", "1.0.0", FILTER).put("op", "configure");
    configure.putObject("properties").put("verdict", "pass");
    assertOk(request(configure));
    awaitVerdict(Ring.PASS);
  }

  @Test
  void newVersionReplacesTheOld() throws Exception {
    assertOk(install("test.turn", "1.0.0", Plain.Turn.class, FILTER));
    assertOk(install("test.turn", "1.1.0", Plain.Turn.class, FILTER));
    JsonNode modules = ask("counters").path("modules");
    assertEquals(List.of("1.1.0"), modules.findValuesAsText("version"));
  }

  @Test
  void failuresSayWhereAndLeaveNothing() throws Exception {
    ObjectNode reply = install("test.broken", "1.0.0", Plain.Broken.class, FILTER);
    assertFailed(reply, "start", "IllegalStateException: no licence");
    reply = install("test.hanging", "1.0.0", Plain.Hanging.class, FILTER);
    assertFailed(reply, "timeout", "did not start within 2000 ms");
    byte[] lost =
        Jars.bundle("test.lost", "1.0.0", Plain.Turn.class, "org.nowhere,org.netserv.packet");
    reply = send(request("test.lost", "1.0.0", FILTER), lost);
    assertFailed(reply, "resolve", "missing Import-Package: org.nowhere");
    reply = send(request("test.other", "1.0.0", FILTER), lost);
    assertFailed(reply, "install", "the bundle is test.lost 1.0.0");
    assertEquals(0, ask("counters").path("modules").size());
    assertTrue(ring.modules.isEmpty());
    assertOk(install("test.broken", "1.0.0", Plain.First.class, FILTER));
  }

  @Test
  void aComponentMustReallyWork() throws Exception {
    String properties = "{\"limit\":\"7\"}";
    ObjectNode good = component("test.limited", properties);
    assertOk(good);
    assertEquals(List.of(Ring.DROP), codes(ring.push(packet(5060).toBytes())));
    ask("uninstall", "test.limited");
    ObjectNode bad = component("test.limited", "{\"limit\":\"many\"}");
    assertFailed(bad, "start", "limit: not a number: many");
    assertFailed(
        install("test.silent", "1.0.0", Plain.Server.class, FILTER), "start", "no PktProcessor");
    assertEquals(0, ask("counters").path("modules").size());
  }

  @Test
  void aRefreshThatTheModifiedMethodRefusesChangesNothing() throws Exception {
    ObjectNode request = request("test.strict", "1.0.0", FILTER);
    request.putObject("properties").put("verdict", "drop");
    String modified = "init=\"1\" modified=\"modified\"";
    assertOk(send(request, Jars.component("test.strict", "1.0.0", Strict.class, modified)));
    byte[] bytes = packet(5060).toBytes();
    assertEquals(List.of(Ring.DROP), codes(ring.push(bytes)));
    ObjectNode refused = configure("test.strict", "verdict", "maybe", "");
    assertFailed(refused, "configure", "verdict: neither pass nor drop: maybe");
    assertEquals(424, refused.path("status").asInt());
    assertEquals(List.of(Ring.DROP), codes(ring.push(bytes)), "filters and properties stay");
    assertOk(configure("test.strict", "verdict", "pass", FILTER));
    assertEquals(List.of(Ring.PASS), codes(ring.push(bytes)), "in force when it is answered");
  }

  @Test
  void aRefreshThatTheConstructorRefusesChangesNothing() throws Exception {
    assertOk(component("test.limited", "{\"limit\":\"7\"}"));
    byte[] bytes = packet(5060).toBytes();
    ObjectNode refused = configure("test.limited", "limit", "many", FILTER);
    assertFailed(refused, "configure", "limit: not a number: many");
    assertEquals(List.of(Ring.DROP), codes(ring.push(bytes)), "it is back with what it had");
    assertOk(configure("test.limited", "limit", "8", FILTER));
  }

  @Test
  void aManagedServiceThatThrowsIsHeard() throws Exception {
    ObjectNode request = request("test.conf", "1.0.0", FILTER);
    request.putObject("properties").put("verdict", "drop");
    assertOk(
        send(request, Jars.bundle("test.conf", "1.0.0", Configured.class, "org.netserv.packet")));
    byte[] bytes = packet(5060).toBytes();
    assertEquals(List.of(Ring.DROP), codes(ring.push(bytes)));
    assertFailed(configure("test.conf", "verdict", "throw", FILTER), "configure", "as it was told");
    assertEquals(List.of(Ring.DROP), codes(ring.push(bytes)));
    ask("uninstall", "test.conf");
    ObjectNode again = request("test.conf", "1.0.1", FILTER);
    again.putObject("properties").put("verdict", "throw");
    byte[] jar = Jars.bundle("test.conf", "1.0.1", Configured.class, "org.netserv.packet");
    assertFailed(send(again, jar), "start", "as it was told");
  }

  @Test
  void aModuleInstallsNoFragmentFromInside() throws Exception {
    byte[] jar =
        Jars.bundle("test.extending", "1.0.0", Extending.class, "org.osgi.framework.wiring");
    ObjectNode reply = send(request("test.extending", "1.0.0", ""), jar);
    assertFailed(reply, "start", "fragments are outside outside");
  }

  private static ObjectNode configure(String module, String key, String value, String filter)
      throws Exception {
    ObjectNode request = request(module, "1.0.0", filter).put("op", "configure");
    request.putObject("properties").put(key, value);
    return request(request);
  }

  private static ObjectNode component(String name, String properties) throws Exception {
    ObjectNode request = request(name, "1.0.0", FILTER);
    request.set("properties", Json.parse(properties.getBytes(StandardCharsets.UTF_8)));
    return send(request, Jars.component(name, "1.0.0", Limited.class));
  }

  @Test
  void refusesBadRequestsByField() throws Exception {
    byte[] jar = Jars.bundle("test.turn", "1.0.0", Plain.Turn.class, "org.netserv.packet");
    ObjectNode reply = send(request("test.turn", "1.0.0", "{\"family\":5}"), jar);
    assertEquals(400, reply.path("status").asInt());
    assertTrue(reply.path("error").asText().contains("family"));
    reply = send(request("test.turn", "one", FILTER), jar);
    assertTrue(reply.path("error").asText().startsWith("version"));
    assertEquals(404, ask("uninstall", "test.none").path("status").asInt());
    assertFalse(ask("fly").path("ok").asBoolean());
    assertTrue(ask("ping").path("ok").asBoolean());
    assertTrue(ask("threads").path("dump").asText().contains("agent-control"));
  }

  @Test
  void reportsWhatAModuleLeavesBehindAndOnlyThat() throws Exception {
    assertOk(install("test.turn", "1.0.0", Plain.Turn.class, FILTER));
    ring.push(packet(5060).toBytes());
    assertOk(ask("uninstall", "test.turn"));
    assertOk(install("test.server", "1.0.0", Plain.Server.class, ""));
    // The clean module's checks are all over by the time the second of these is reported.
    for (int i = 0; i < 3; i++) {
      assertOk(install("test.server", "1.0." + i, Plain.Server.class, ""));
      ObjectNode event = EVENTS.poll(60, TimeUnit.SECONDS);
      assertEquals("leak", event.path("event").asText());
      assertEquals("test.server", event.path("module").asText(), event.toString());
      assertTrue(event.path("reason").asText().contains("left-behind"), event.toString());
    }
  }

  @Test
  void comesBackWhenTheControllerDoes() throws Exception {
    assertOk(install("test.turn", "1.0.0", Plain.Turn.class, FILTER));
    agent.close();
    agent = CONNECTIONS.poll(60, TimeUnit.SECONDS);
    assertEquals("running", hello.path("modules").path(0).path("state").asText());
    assertTrue(ask("ping").path("ok").asBoolean());
  }

  // ---- in the controller's place

  private static ObjectNode install(String name, String version, Class<?> type, String filter)
      throws Exception {
    return send(
        request(name, version, filter), Jars.bundle(name, version, type, "org.netserv.packet"));
  }

  private static ObjectNode request(String name, String version, String filter) throws Exception {
    ObjectNode request = Json.object().put("op", "install").put("module", name);
    request.put("version", version);
    ArrayNode filters = request.putArray("filters");
    if (!filter.isEmpty()) {
      filters.add(Json.parse(filter.getBytes(StandardCharsets.UTF_8)));
    }
    return request;
  }

  private static ObjectNode order(String op, String name, String version) {
    return Json.object().put("op", op).put("module", name).put("version", version);
  }

  private static ObjectNode send(ObjectNode install, byte[] jar) throws Exception {
    if (!install.has("sha256")) {
      install.put("sha256", sha256(jar));
    }
    install.put("size", jar.length);
    return agent.request(install, new ByteArrayInputStream(jar), LONG);
  }

  private static String sha256(byte[] jar) throws Exception {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(jar));
  }

  private static ObjectNode ask(String op) {
    return request(Json.object().put("op", op));
  }

  private static ObjectNode ask(String op, String module) {
    return request(Json.object().put("op", op).put("module", module));
  }

  private static ObjectNode request(ObjectNode request) {
    try {
      return agent.request(request, LONG);
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static void awaitVerdict(int code) throws Exception {
    long end = System.nanoTime() + LONG.toNanos();
    while (ring.push(packet(5060).toBytes()).get(0).code() != code) {
      assertTrue(System.nanoTime() < end, "the verdict never became " + code);
      Thread.sleep(5);
    }
  }

  private static Packet packet(int port) {
    return Packets.udp4("198.51.100.7", 4000, "192.0.2.1", port, new byte[40]);
  }

  private static List<Integer> codes(List<Answer> answers) {
    return answers.stream().map(Answer::code).toList();
  }

  private static void assertOk(ObjectNode reply) {
    assertTrue(reply.path("ok").asBoolean(), reply.toString());
  }

  private static void assertFailed(ObjectNode reply, String phase, String text) {
    assertEquals(phase, reply.path("phase").asText(), reply.toString());
    assertTrue(reply.path("error").asText().contains(text), reply.toString());
  }
}
