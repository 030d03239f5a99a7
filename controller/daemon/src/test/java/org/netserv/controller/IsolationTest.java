// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.netserv.controller.log.LogException;
import org.netserv.controller.log.LogRecord.Answer;
import org.netserv.ncm.Header;
import org.netserv.ncm.Method;
import org.netserv.ncm.Ncm;
import org.netserv.policy.IsolationPolicy;
import org.netserv.policy.LayerCovers;

/** A node that lacks a layer says so, and serves nobody but its operator. */
final class IsolationTest {
  @TempDir Path directory;
  private SmallNode node;

  @BeforeEach
  void open() throws IOException, LogException {
    node = SmallNode.fresh(directory);
    node.settings.operator = "john";
  }

  @AfterEach
  void close() {
    node.log.close();
    node.audit.close();
  }

  private static final String PORTS = "landlock-net";

  /** Returns the layers that no other layer covers. */
  static List<String> layers() {
    return IsolationPolicy.LAYERS.stream()
        .filter(layer -> !LayerCovers.all().containsKey(layer))
        .toList();
  }

  /** Takes layers away from the machine. A spawner that knows it takes over. */
  private void lacks(String... missing) {
    List<String> given =
        IsolationPolicy.LAYERS.stream().filter(l -> !List.of(missing).contains(l)).toList();
    node.spawner.layers =
        Map.of("layers", String.join(",", given), "missing", String.join(",", missing));
    node.controller.disconnected();
    node.controller.connected();
    node.loop.run();
  }

  private Answer setup(String user, String module) throws Exception {
    return node.ask(node.setup(user, module, "1.0.0")).answer();
  }

  private String state(String user) {
    for (JsonNode container : node.op(SmallNode.request("status")).path("containers")) {
      if (container.path("publisher").asText().equals(user)) {
        return container.path("modules").path(0).path("state").asText();
      }
    }
    return "none";
  }

  private String because(String module) {
    return node.op(SmallNode.request("why").put("module", module)).path("because").asText();
  }

  private void reload() {
    assertTrue(node.op(SmallNode.request("reload")).path("ok").asBoolean());
    node.loop.advance(20_000);
  }

  private static List<String> texts(JsonNode list) {
    return StreamSupport.stream(list.spliterator(), false).map(JsonNode::asText).toList();
  }

  @ParameterizedTest
  @MethodSource("layers")
  void strangersAreRefusedForEachLayerThatIsMissing(String layer) throws Exception {
    lacks(layer);
    Object before = node.log.snapshot().image();
    Answer answer = setup("jane", "a.b");
    assertEquals(424, answer.status());
    assertTrue(answer.reason().contains("this node lacks " + layer + ";"), answer.reason());
    assertEquals(before, node.log.snapshot().image());
    assertEquals(List.of(), node.jobs.fetched);
    assertEquals(Map.of("424 isolation", 1L), node.controller.service().refusals().counts());
    assertEquals(200, setup("john", "a.b").status(), "the operator's own");
    node.settings.acceptMissing = Set.of(layer);
    assertEquals(200, setup("jane", "a.b").status(), "accepted as missing");
  }

  @ParameterizedTest
  @MethodSource("layers")
  void whatPolicyLeavesOutIsMissing(String layer) throws Exception {
    lacks();
    assertEquals(200, setup("jane", "a.b").status());
    node.settings.leftOut = Set.of(layer);
    assertEquals(424, setup("jane", "c.d").status());
    ObjectNode status = node.op(SmallNode.request("status"));
    List<String> missing = layer.equals("net") ? List.of("net", "rules") : List.of(layer);
    assertEquals(missing, texts(status.path("isolation").path("missing")));
    assertFalse(texts(status.path("isolation").path("layers")).contains(layer));
  }

  @Test
  void aLayerThatOthersCoverRefusesNobody() throws Exception {
    lacks(PORTS);
    node.spawner.startedWith = Map.of("missing", PORTS);
    assertEquals(200, setup("jane", "a.b").status());
    JsonNode status = node.op(SmallNode.request("status")).path("isolation");
    assertEquals(List.of(PORTS), texts(status.path("missing")));
    assertEquals(List.of(), texts(status.path("refusing")));
    assertEquals(List.of("net", "rules"), texts(status.path("covered").path(PORTS)));
  }

  @Test
  void aLayerIsNotCoveredByOneThatIsMissing() throws Exception {
    lacks("rules", PORTS);
    node.settings.acceptMissing = Set.of("rules");
    Answer answer = setup("jane", "a.b");
    assertEquals(424, answer.status());
    assertTrue(answer.reason().contains("lacks landlock-net;"), answer.reason());
    JsonNode status = node.op(SmallNode.request("status")).path("isolation");
    assertTrue(status.path("covered").isEmpty(), "" + status);
  }

  @Test
  void policyMayRequireACoveredLayer() throws Exception {
    lacks(PORTS);
    node.settings.require = Set.of(PORTS);
    Answer answer = setup("jane", "a.b");
    assertEquals(424, answer.status());
    assertTrue(answer.reason().contains("this node lacks landlock-net;"), answer.reason());
    assertEquals(Map.of("424 isolation", 1L), node.controller.service().refusals().counts());
    assertEquals(200, setup("john", "c.d").status(), "the operator's own");
    node.settings.require = Set.of();
    reload();
    assertEquals(200, setup("jane", "a.b").status());
    node.settings.require = Set.of(PORTS);
    reload();
    assertTrue(because("a.b").contains("lacks landlock-net"), because("a.b"));
  }

  @Test
  void oneOfTwoAcceptedIsNotEnough() throws Exception {
    lacks("landlock", "seccomp");
    node.settings.acceptMissing = Set.of("landlock");
    Answer answer = setup("jane", "a.b");
    assertEquals(424, answer.status());
    assertTrue(answer.reason().contains("lacks seccomp;"), answer.reason());
  }

  @Test
  void aSpawnerThatSaysNothingIsTakenToHaveNothing() throws Exception {
    node.spawner.layers = Map.of();
    node.controller.connected();
    node.loop.run();
    Answer answer = setup("jane", "a.b");
    assertEquals(424, answer.status());
    assertTrue(answer.reason().contains("lacks cgroup, user, pid"), answer.reason());
    assertEquals(200, setup("john", "a.b").status(), "the operator's own");
  }

  private Ncm.Builder probe(String user) {
    return Ncm.builder(Method.PROBE, "*")
        .set(Header.PROBE, "capabilities,policy")
        .set(Header.USER, user)
        .date(Instant.ofEpochMilli(node.loop.wall()))
        .nonce(new byte[16])
        .set(Header.TO, "198.51.100.7");
  }

  @Test
  void probesAndStatusTell() throws Exception {
    lacks("landlock", "seccomp");
    node.settings.acceptMissing = Set.of("landlock");
    ObjectNode data = node.ask(probe("jane")).data();
    assertTrue(texts(data.path("capabilities").path("layers")).contains("cgroup"));
    assertEquals(List.of("landlock", "seccomp"), texts(data.path("capabilities").path("missing")));
    assertEquals(List.of("seccomp"), texts(data.path("policy").path("refusedWithout")));
    JsonNode status = node.op(SmallNode.request("status")).path("isolation");
    assertEquals(List.of("landlock", "seccomp"), texts(status.path("missing")));
    assertEquals(List.of("seccomp"), texts(status.path("refusing")));
    assertTrue(data.path("capabilities").path("covered").isEmpty(), "" + data);
    data = node.ask(probe("john")).data();
    assertEquals(List.of(), texts(data.path("policy").path("refusedWithout")), "the operator's");
  }

  @Test
  void probesTellWhatCoversALayer() throws Exception {
    lacks(PORTS);
    ObjectNode data = node.ask(probe("jane")).data();
    JsonNode capabilities = data.path("capabilities");
    assertEquals(List.of(PORTS), texts(capabilities.path("missing")));
    assertEquals(List.of("net", "rules"), texts(capabilities.path("covered").path(PORTS)));
    assertEquals(List.of(), texts(data.path("policy").path("refusedWithout")));
  }

  @Test
  void whatIsInstalledIsNotStartedAndWhySaysWhy() throws Exception {
    lacks();
    setup("jane", "a.b");
    setup("john", "c.d");
    node.spawner.running.clear();
    node.agents.clear();
    lacks("seccomp");
    node.loop.advance(200_000);
    assertEquals("recovering", state("jane"));
    assertTrue(because("a.b").contains("this node lacks seccomp;"), because("a.b"));
    assertEquals("running", state("john"));
    JsonNode history = node.op(SmallNode.request("why").put("module", "a.b")).path("history");
    assertEquals(
        1,
        history.findValuesAsText("reason").stream().filter(r -> r.contains("seccomp")).count(),
        "the same reason is said once");
    lacks();
    node.loop.advance(100_000);
    assertEquals("running", state("jane"));
  }

  @Test
  void whatIsInstalledIsNotStartedAfterARestartOfTheController() throws Exception {
    lacks();
    setup("jane", "a.b");
    node.spawner.layers = Map.of("layers", "uid", "missing", "cgroup");
    Map<String, String> now = node.spawner.layers;
    node = node.restart();
    node.spawner.layers = now;
    node.begin();
    node.loop.advance(5_000);
    assertEquals("recovering", state("jane"));
    assertFalse(node.spawner.running.contains("jane"), "it ran on, and was stopped");
    assertTrue(because("a.b").contains("lacks cgroup"), because("a.b"));
  }

  @Test
  void aReloadStopsAndStarts() throws Exception {
    lacks("landlock");
    node.settings.acceptMissing = Set.of("landlock");
    assertEquals(200, setup("jane", "a.b").status());
    node.settings.acceptMissing = Set.of();
    reload();
    assertEquals("recovering", state("jane"));
    assertFalse(node.spawner.running.contains("jane"));
    assertTrue(because("a.b").contains("lacks landlock"), because("a.b"));
    node.loop.advance(600_000);
    node.settings.acceptMissing = Set.of("landlock");
    assertTrue(node.op(SmallNode.request("reload")).path("ok").asBoolean());
    node.loop.advance(100);
    assertEquals("running", state("jane"), "without waiting for a back-off");
  }

  @Test
  void aContainerThatWasStartedWithoutALayerGoesWhenPolicyDemandsIt() throws Exception {
    lacks();
    node.settings.leftOut = Set.of("seccomp");
    node.settings.acceptMissing = Set.of("seccomp");
    node.spawner.startedWith = Map.of("missing", "seccomp");
    assertEquals(200, setup("jane", "a.b").status());
    node.settings.leftOut = Set.of();
    node.settings.acceptMissing = Set.of();
    node.spawner.startedWith = Map.of("missing", "");
    reload();
    assertEquals(2, node.spawner.count("start"));
    assertEquals("running", state("jane"));
  }

  @Test
  void aContainerThatCouldNotBeGivenALayerRunsNothing() throws Exception {
    lacks();
    node.spawner.startedWith = Map.of("missing", "disk");
    Answer answer = setup("jane", "a.b");
    assertEquals(503, answer.status());
    assertTrue(answer.reason().contains("started without disk;"), answer.reason());
    assertFalse(node.spawner.running.contains("jane"));
    assertEquals(200, setup("john", "a.b").status(), "the operator's own");
  }
}
