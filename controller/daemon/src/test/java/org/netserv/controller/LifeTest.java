// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.controller.container.ContainerState;
import org.netserv.controller.job.FetchOutcome;
import org.netserv.controller.log.LogRecord.Answer;
import org.netserv.controller.ncm.NcmReply;
import org.netserv.ncm.Header;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmException;

/** Modules that come, are replaced and go, in virtual time. */
final class LifeTest extends LivingNode {
  private long bundles() throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("bundles"))) {
      return files.count();
    }
  }

  // ---- replacing and removing

  @Test
  void removeUndoesEverythingInReverse() throws Exception {
    setup("jane", "a.b", "1.0.0");
    FakeAgent agent = node.agents.get("jane");
    node.spawner.asked.clear();
    assertEquals(200, node.ask(node.remove("jane", "a.b")).answer().status());
    assertEquals(List.of(), node.spawner.filters);
    assertEquals(
        List.of("filters", "stop"),
        node.spawner.asked.stream().map(r -> r.verb()).filter(v -> !v.equals("stats")).toList());
    assertEquals(1, agent.count("uninstall"));
    assertTrue(agent.closed);
    assertEquals(0, bundles());
    assertEquals("", states());
    assertEquals(ContainerState.IDLE, container());
  }

  @Test
  void theContainerStaysForItsOtherModules() throws Exception {
    setup("jane", "a.b", "1.0.0");
    setup("jane", "c.d", "1.0.0");
    assertEquals(200, node.ask(node.remove("jane", "a.b")).answer().status());
    assertEquals("jane/c.d=1.0.0:running", states());
    assertEquals(0, node.spawner.count("stop"));
    assertEquals(1, bundles());
    assertEquals(1, node.spawner.count("start"));
  }

  @Test
  void removeDropsItsOwnClaimOnly() throws Exception {
    setup("jane", "a.b", "1.0.0");
    NcmReply other = node.ask(node.setup("jane", "a.b", "1.0.0").set(Header.TO, "198.51.100.8"));
    assertEquals(200, other.answer().status());
    NcmReply first = node.ask(node.remove("jane", "a.b"));
    assertEquals(200, first.answer().status());
    assertTrue(first.answer().reason().contains("1 other claims"), first.answer().reason());
    assertEquals("jane/a.b=1.0.0:running", states());
    assertEquals(
        200, node.ask(node.remove("jane", "a.b").set(Header.TO, "198.51.100.8")).answer().status());
    assertEquals("", states());
  }

  @Test
  void theStarRemovesAllOfThatUsers() throws Exception {
    setup("jane", "a.b", "1.0.0");
    setup("jane", "c.d", "1.0.0");
    setup("john", "a.b", "1.0.0");
    NcmReply reply = node.ask(node.remove("jane", "*").set(Header.TO, "198.51.100.99"));
    assertEquals(200, reply.answer().status());
    assertEquals("2 modules removed", reply.answer().reason());
    assertEquals("john/a.b=1.0.0:running", states());
  }

  @Test
  void removeWhileFetching() throws Exception {
    node.jobs.hold = true;
    List<NcmReply> setup = node.send(SmallNode.sign(node.setup("jane", "a.b", "1.0.0")));
    assertEquals(200, node.ask(node.remove("jane", "a.b")).answer().status());
    assertEquals(409, setup.get(0).answer().status());
    node.jobs.release();
    node.loop.run();
    assertEquals("", states());
    assertEquals(0, node.spawner.count("start"));
  }

  @Test
  void aNewVersionTakesThePlaceWhenItRuns() throws Exception {
    setup("jane", "a.b", "1.0.0");
    node.jobs.hold = true;
    List<NcmReply> replies = node.send(SmallNode.sign(node.setup("jane", "a.b", "2.0.0")));
    assertEquals("jane/a.b=2.0.0:fetching jane/a.b=1.0.0:running", states());
    node.jobs.release();
    node.loop.run();
    assertEquals("jane/a.b=2.0.0:running", states());
    assertEquals("running, in place of 1.0.0", replies.get(0).answer().reason());
    assertEquals(Map.of("a.b", "2.0.0"), node.agents.get("jane").modules);
    assertEquals(1, bundles());
    assertEquals(1, node.spawner.filters.size());
  }

  @Test
  void aFetchThatFailsLeavesTheOldVersionAlone() throws Exception {
    setup("jane", "a.b", "1.0.0");
    node.jobs.fail = FetchOutcome.failed(502, "url", "refused");
    Answer answer = node.ask(node.setup("jane", "a.b", "2.0.0")).answer();
    assertEquals(502, answer.status());
    assertEquals("refused; version 1.0.0 stays", answer.reason());
    assertEquals("jane/a.b=1.0.0:running", states());
    assertEquals(1, node.agents.get("jane").count("install"));
    assertEquals("1.0.0", node.log.snapshot().modules().get(0).current().version());
  }

  @Test
  void aFailedAttemptDoesNotShortenTheClaim() throws Exception {
    setup("jane", "a.b", "1.0.0");
    node.jobs.fail = FetchOutcome.failed(502, "url", "refused");
    assertEquals(
        502, node.ask(node.setup("jane", "a.b", "2.0.0").set(Header.TTL, 10)).answer().status());
    node.loop.advance(3_000_000);
    assertEquals("jane/a.b=1.0.0:running", states());
  }

  @Test
  void whoseLastClaimRanOutDuringAFailedAttemptIsRemoved() throws Exception {
    assertEquals(
        200, node.ask(node.setup("jane", "a.b", "1.0.0").set(Header.TTL, 10)).answer().status());
    node.jobs.hold = true;
    node.send(SmallNode.sign(node.setup("jane", "a.b", "2.0.0").set(Header.TO, "198.51.100.8")));
    node.loop.advance(12_000);
    assertEquals("jane/a.b=2.0.0:fetching jane/a.b=1.0.0:running", states());
    node.jobs.fail = FetchOutcome.failed(502, "url", "refused");
    node.jobs.release();
    node.loop.advance(1_000);
    assertEquals("", states());
    assertEquals(List.of(), node.spawner.filters);
  }

  @Test
  void aVersionThatDoesNotStartGivesWayToTheOldOne() throws Exception {
    setup("jane", "a.b", "1.0.0");
    node.agents.get("jane").badVersion = "2.0.0";
    Answer answer = node.ask(node.setup("jane", "a.b", "2.0.0")).answer();
    assertEquals(500, answer.status());
    assertTrue(
        answer.reason().startsWith("start: activator threw; version 1.0.0"), answer.reason());
    node.loop.run();
    assertEquals("jane/a.b=1.0.0:running", states());
    assertEquals(Map.of("a.b", "1.0.0"), node.agents.get("jane").modules);
    assertEquals(1, node.spawner.filters.size());
    assertEquals(1, bundles());
  }

  @Test
  void filtersThatCannotBeWrittenUndoTheInstall() throws Exception {
    node.spawner.refuseFilters = "iptables-restore failed";
    Answer answer = node.ask(node.setup("jane", "a.b", "1.0.0")).answer();
    assertEquals(500, answer.status());
    assertEquals("filters: iptables-restore failed", answer.reason());
    assertEquals("", states());
    assertEquals(0, bundles());
    assertFalse(node.spawner.running.contains("jane"));
  }

  @Test
  void refreshWithOtherPropertiesConfigures() throws Exception {
    setup("jane", "a.b", "1.0.0");
    FakeAgent agent = node.agents.get("jane");
    setup("jane", "a.b", "1.0.0");
    assertEquals(0, agent.count("configure"), "nothing new");
    assertEquals(
        200,
        node.ask(node.setup("jane", "a.b", "1.0.0").set(Header.PROPERTIES, "k=v"))
            .answer()
            .status());
    assertEquals(1, agent.count("configure"));
    assertEquals(
        200,
        node.ask(node.setup("jane", "a.b", "1.0.0").set(Header.FILTER_PORT, "7000"))
            .answer()
            .status());
    assertEquals(
        List.of("family=4 proto=17 dst=192.0.2.0/24 dport=7000-7000 queue=0"),
        node.spawner.filters);
    assertEquals(1, agent.count("install"));
  }

  // ---- time

  @Test
  void refreshExtendsAndTtlEnds() throws Exception {
    Ncm.Builder first =
        node.setup("jane", "a.b", "1.0.0")
            .set(Header.TTL, 100)
            .set(Header.NOTIFICATION, "http://p.example/rpc");
    assertEquals(200, node.ask(first).answer().status());
    node.loop.advance(60_000);
    assertEquals(
        200, node.ask(node.setup("jane", "a.b", "1.0.0").set(Header.TTL, 100)).answer().status());
    node.loop.advance(98_000);
    assertEquals("jane/a.b=1.0.0:running", states());
    node.jobs.told.clear();
    node.loop.advance(3_000);
    assertEquals("", states());
    assertEquals(List.of(), node.log.snapshot().modules());
    assertEquals(List.of(), node.spawner.filters);
    assertFalse(node.spawner.running.contains("jane"));
  }

  @Test
  void idleEnds() throws Exception {
    assertEquals(
        200,
        node.ask(node.setup("jane", "a.b", "1.0.0").set(Header.IDLE_TTL, 60)).answer().status());
    FakeAgent agent = node.agents.get("jane");
    node.loop.advance(50_000);
    agent.lastPacket = node.loop.wall();
    node.loop.advance(50_000);
    assertEquals("jane/a.b=1.0.0:running", states());
    node.loop.advance(16_000);
    assertEquals("", states());
  }

  /**
   * Packets of the module's publisher that no module sees keep the module alive. They are packets
   * of a server, or packets that the kernel counts.
   */
  @ParameterizedTest
  @ValueSource(strings = {"network-packets", "flows-counted-packets"})
  void whatPassesModulesIsUse(String counter) throws Exception {
    assertEquals(
        200,
        node.ask(node.setup("jane", "a.b", "1.0.0").set(Header.IDLE_TTL, 60)).answer().status());
    for (int i = 1; i <= 4; i++) {
      node.spawner.stats.put(counter, Integer.toString(7 * i));
      node.loop.advance(50_000);
      assertEquals("jane/a.b=1.0.0:running", states());
    }
    node.loop.advance(70_000);
    assertEquals("", states());
  }

  @Test
  void clockStepsNeverKeepAModuleLonger() throws Exception {
    assertEquals(
        200, node.ask(node.setup("jane", "a.b", "1.0.0").set(Header.TTL, 100)).answer().status());
    node.loop.advance(2_000);
    node.loop.stepWall(-86_400_000L);
    node.loop.advance(95_000);
    assertEquals("jane/a.b=1.0.0:running", states());
    node.loop.advance(6_000);
    assertEquals("", states());
    setup("jane", "c.d", "1.0.0");
    node.loop.stepWall(86_400_000L);
    node.loop.advance(1_000);
    assertEquals("", states(), "a step forward ends it early");
  }

  // ---- policy

  @Test
  void reloadRemovesTheRevokedAndNarrowsTheOthers() throws Exception {
    setup("jane", "a.b", "1.0.0");
    setup("john", "a.b", "1.0.0");
    node.settings.publishers.get("jane").revoked = true;
    node.settings.publishers.get("john").prefix = "192.0.2.128/25";
    assertTrue(node.op(SmallNode.request("reload")).path("ok").asBoolean());
    assertEquals("john/a.b=1.0.0:running", states());
    assertEquals(
        List.of("family=4 proto=17 dst=192.0.2.128/25 dport=5060-5060 queue=2"),
        node.spawner.filters);
    assertEquals(1, node.agents.get("john").count("configure"));
    node.settings.publishers.get("john").refusal =
        new NcmException(403, Header.FILTER_PREFIX, "not yours any more");
    assertTrue(node.op(SmallNode.request("reload")).path("ok").asBoolean());
    assertEquals("", states());
    assertEquals(List.of(), node.log.snapshot().modules());
  }

  @Test
  void aBadPolicyChangesNothing() throws Exception {
    setup("jane", "a.b", "1.0.0");
    node.settings.publishers.get("jane").revoked = true;
    node.settings.reloadError = java.util.Optional.of("node.yaml:3: $.sysctl: unknown");
    ObjectNode reply = node.op(SmallNode.request("reload"));
    assertFalse(reply.path("ok").asBoolean());
    assertEquals("node.yaml:3: $.sysctl: unknown", reply.path("error").asText());
    assertEquals("jane/a.b=1.0.0:running", states());
  }

  @Test
  void aDeletedPublishersFiltersGoToNobodyElse() throws Exception {
    setup("jane", "a.b", "1.0.0");
    setup("john", "a.b", "1.0.0");
    setup("john", "c.d", "1.0.0");
    node.settings.publishers.remove("john");
    node.spawner.asked.clear();
    assertTrue(node.op(SmallNode.request("reload")).path("ok").asBoolean());
    String janes = "family=4 proto=17 dst=192.0.2.0/24 dport=5060-5060 queue=0";
    node.spawner.asked.stream()
        .filter(r -> r.verb().equals("filters"))
        .flatMap(r -> r.lines().stream())
        .forEach(line -> assertEquals(janes, line.replaceAll(" claim=.*", "")));
    assertTrue(node.spawner.count("filters") > 0);
    assertEquals("jane/a.b=1.0.0:running", states());
  }

  // ---- the operator's view

  @Test
  void statusAndCountersAndWhy() throws Exception {
    setup("jane", "a.b", "1.0.0");
    node.loop.advance(5_000);
    ObjectNode status = node.op(SmallNode.request("status"));
    assertEquals(node.identity.nodeId(), status.path("nodeId").asText());
    ObjectNode module = (ObjectNode) status.path("containers").path(0).path("modules").path(0);
    assertEquals("running", module.path("state").asText());
    assertEquals(3595, module.path("expires").asLong());
    assertEquals(7, module.path("packets").asLong());
    assertEquals("ready", status.path("containers").path(0).path("state").asText());
    ObjectNode counters = node.op(SmallNode.request("counters"));
    assertEquals(
        7, counters.path("containers").path(0).path("modules").path(0).path("packets").asLong());
    ObjectNode why = node.op(SmallNode.request("why").put("module", "a.b"));
    assertEquals("running", why.path("state").asText());
    assertEquals("2026-01-02T03:04:05Z", why.path("history").path(0).path("time").asText());
    assertFalse(node.op(SmallNode.request("why").put("module", "none")).path("ok").asBoolean());
    setup("john", "a.b", "1.0.0");
    assertTrue(
        node.op(SmallNode.request("why").put("module", "a.b"))
            .path("error")
            .asText()
            .startsWith("several"));
    assertEquals(
        "running",
        node.op(SmallNode.request("why").put("module", "a.b").put("publisher", "john"))
            .path("state")
            .asText());
  }

  @Test
  void opsThatGoWrong() throws Exception {
    assertFalse(node.op(SmallNode.request("surprise")).path("ok").asBoolean());
    assertFalse(
        node.op(SmallNode.request("trace").put("publisher", "jane").put("count", 0))
            .path("ok")
            .asBoolean());
    assertTrue(
        node.op(SmallNode.request("threads").put("publisher", "jane"))
            .path("error")
            .asText()
            .contains("no container"));
    ObjectNode rules = SmallNode.request("rules").put("module", "a.b");
    assertEquals(
        "nothing is known of a module a.b", node.op(rules.deepCopy()).path("error").asText());
    setup("jane", "a.b", "1.0.0");
    assertTrue(
        node.op(rules.deepCopy().put("service", "Shop"))
            .path("error")
            .asText()
            .startsWith("service is 1"));
    ObjectNode both = SmallNode.request("ncm").put("ncm", "x").put("tlv", "AA==");
    assertEquals(400, node.op(both).path("status").asInt());
    assertEquals(400, node.op(SmallNode.request("ncm").put("tlv", "!")).path("status").asInt());
  }
}
