// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.netserv.controller.container.ContainerState;
import org.netserv.controller.log.LogRecord.Answer;
import org.netserv.controller.log.ModuleKey;
import org.netserv.controller.ncm.NcmReply;
import org.netserv.ncm.Header;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmException;

/** Containers that hold fetched bundles installed for a later SETUP, in virtual time. */
final class StandbyTest extends LivingNode {
  private static final String DIGEST = SmallNode.digest("a.b1.0.0");

  @BeforeEach
  void allow() {
    node.settings.standby = 2;
  }

  private Ncm.Builder later(String user, String module, String version) {
    return node.setup(user, module, version).set(Header.ACTIVATE, "later");
  }

  private void fetch(String user, String module, String version) throws NcmException {
    Answer answer = node.ask(later(user, module, version)).answer();
    assertEquals(201, answer.status(), answer.reason());
  }

  private String state(String user, String module) {
    return node.controller
        .modules()
        .fetched()
        .find(new ModuleKey(user, module))
        .map(kept -> kept.state())
        .orElse("absent");
  }

  private FakeAgent agent() {
    return node.agents.get("jane");
  }

  private JsonNode last(String op) {
    return agent().asked.stream()
        .filter(order -> order.path("op").asText().equals(op))
        .reduce((first, second) -> second)
        .orElseThrow();
  }

  @Test
  void aFetchedBundleIsInstalledAndNotStarted() throws Exception {
    fetch("jane", "a.b", "1.0.0");
    assertEquals("prepared", state("jane", "a.b"));
    assertEquals(Map.of("a.b", DIGEST), agent().prepared);
    assertEquals(Map.of(), agent().modules);
    assertEquals("", states());
    assertEquals(ContainerState.READY, container());
    assertEquals(List.of(), node.spawner.filters);
  }

  @Test
  void aSetupStartsItWithoutItsBytes() throws Exception {
    fetch("jane", "a.b", "1.0.0");
    setup("jane", "a.b", "1.0.0");
    assertEquals("jane/a.b=1.0.0:running", states());
    assertEquals(0, last("install").path("size").asInt());
    assertEquals(1, node.spawner.count("start"));
    assertEquals("fetched", state("jane", "a.b"));
    assertEquals(1, agent().count("prepare"), "not beside its own module");
  }

  @Test
  void aSetupDuringThePreparationSendsTheBytes() throws Exception {
    node.born = agent -> agent.delay = 100;
    node.send(SmallNode.sign(later("jane", "a.b", "1.0.0")));
    List<NcmReply> run = node.send(SmallNode.sign(node.setup("jane", "a.b", "1.0.0")));
    node.loop.advance(1_000);
    assertEquals(200, run.get(0).answer().status());
    assertEquals(5, last("install").path("size").asInt());
    assertEquals("jane/a.b=1.0.0:running", states());
    assertEquals(0, agent().count("uninstall"));
  }

  @Test
  void theEndOfTheModuleBringsAFreshContainerThatHoldsTheBundle() throws Exception {
    fetch("jane", "a.b", "1.0.0");
    Answer answer = node.ask(node.setup("jane", "a.b", "1.0.0").set(Header.TTL, 10)).answer();
    assertEquals(200, answer.status());
    node.loop.advance(11_000);
    assertEquals("", states());
    assertEquals(2, node.spawner.count("start"));
    assertEquals("prepared", state("jane", "a.b"));
  }

  @Test
  void removeTakesContainerAndBundleAway() throws Exception {
    fetch("jane", "a.b", "1.0.0");
    assertEquals(200, node.ask(node.remove("jane", "a.b")).answer().status());
    assertEquals("absent", state("jane", "a.b"));
    assertEquals(ContainerState.IDLE, container());
    assertFalse(node.spawner.running.contains("jane"));
  }

  @Test
  void aBundleThatIsDroppedBesideAModuleIsUninstalled() throws Exception {
    setup("jane", "c.d", "1.0.0");
    fetch("jane", "a.b", "1.0.0");
    assertEquals("prepared", state("jane", "a.b"));
    assertEquals(200, node.ask(node.remove("jane", "a.b")).answer().status());
    assertEquals(Map.of(), agent().prepared);
    assertEquals("jane/c.d=1.0.0:running", states());
  }

  @Test
  void anotherVersionTakesItsPlace() throws Exception {
    fetch("jane", "a.b", "1.0.0");
    fetch("jane", "a.b", "2.0.0");
    assertEquals(Map.of("a.b", SmallNode.digest("a.b2.0.0")), agent().prepared);
    assertEquals("prepared", state("jane", "a.b"));
    setup("jane", "a.b", "1.0.0");
    assertEquals("jane/a.b=1.0.0:running", states());
  }

  @Test
  void aNewVersionIsNotPreparedBesideTheOneThatRuns() throws Exception {
    setup("jane", "a.b", "1.0.0");
    fetch("jane", "a.b", "2.0.0");
    assertEquals("fetched", state("jane", "a.b"));
    assertEquals(0, agent().count("prepare"));
  }

  @Test
  void aContainerHoldsFourBundles() throws Exception {
    for (int i = 0; i < 6; i++) {
      fetch("jane", "a.b" + i, "1.0.0");
    }
    assertEquals(4, agent().prepared.size());
    assertEquals("fetched", state("jane", "a.b5"));
    assertEquals(200, node.ask(node.remove("jane", "a.b0")).answer().status());
    assertEquals("prepared", state("jane", "a.b4"));
  }

  @Test
  void policyBoundsTheContainersAndAFreePlaceIsTaken() throws Exception {
    node.settings.standby = 1;
    fetch("jane", "a.b", "1.0.0");
    fetch("john", "a.b", "1.0.0");
    assertEquals("fetched", state("john", "a.b"));
    assertFalse(node.spawner.running.contains("john"));
    setup("jane", "a.b", "1.0.0");
    node.ask(node.remove("jane", "a.b"));
    node.loop.run();
    assertEquals("prepared", state("john", "a.b"));
  }

  @Test
  void withoutPolicyOnlyTheDiskHasIt() throws Exception {
    fetch("jane", "a.b", "1.0.0");
    node.settings.standby = 0;
    node.controller.reload();
    node.loop.run();
    assertEquals("fetched", state("jane", "a.b"));
    assertEquals(ContainerState.IDLE, container());
    node.settings.standby = 1;
    node.controller.reload();
    node.loop.run();
    assertEquals("prepared", state("jane", "a.b"));
  }

  @Test
  void aBundleThatDoesNotResolveIsOnlyFetched() throws Exception {
    node.born = agent -> agent.badVersion = "1.0.0";
    fetch("jane", "a.b", "1.0.0");
    assertEquals("fetched", state("jane", "a.b"));
    assertEquals(1, agent() == null ? 1 : agent().count("prepare"));
    assertEquals(ContainerState.IDLE, container(), "it holds nothing");
    fetch("jane", "a.b", "2.0.0");
    assertEquals("prepared", state("jane", "a.b"));
  }

  @Test
  void aContainerThatDiesHoldsItAgainButNotForEver() throws Exception {
    fetch("jane", "a.b", "1.0.0");
    for (int i = 1; i < 3; i++) {
      node.die("jane", "");
      assertEquals("fetched", state("jane", "a.b"));
      node.loop.advance(10_000);
      assertEquals("prepared", state("jane", "a.b"));
    }
    node.die("jane", "");
    node.loop.advance(100_000);
    assertEquals("fetched", state("jane", "a.b"));
    assertEquals(ContainerState.IDLE, container());
    setup("jane", "a.b", "1.0.0");
    assertEquals("jane/a.b=1.0.0:running", states());
  }

  @Test
  void aContainerThatCannotStartLeavesTheBundleFetched() throws Exception {
    node.spawner.refuseStart = "no memory";
    fetch("jane", "a.b", "1.0.0");
    node.loop.advance(300_000);
    assertEquals(ContainerState.IDLE, container());
    assertEquals("fetched", state("jane", "a.b"));
    node.spawner.refuseStart = "";
    fetch("jane", "a.b", "1.0.0");
    assertEquals("prepared", state("jane", "a.b"));
  }

  @Test
  void aRestartOfTheControllerFindsTheContainerAndItsBundle() throws Exception {
    fetch("jane", "a.b", "1.0.0");
    FakeAgent before = agent();
    node = node.restart().begin();
    assertNull(agent());
    FakeAgent agent = new FakeAgent(node.loop);
    agent.prepared.putAll(before.prepared);
    node.agents.put("jane", agent);
    node.controller.containers().greeted(node.uid("jane"), agent, agent.hello());
    node.loop.run();
    assertEquals("prepared", state("jane", "a.b"));
    assertTrue(node.spawner.running.contains("jane"));
    setup("jane", "a.b", "1.0.0");
    assertEquals(0, last("install").path("size").asInt());
  }
}
