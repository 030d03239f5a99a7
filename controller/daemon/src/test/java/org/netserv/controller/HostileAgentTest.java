// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.netserv.controller.container.AgentFrames;
import org.netserv.controller.container.ContainerState;
import org.netserv.controller.container.Containers;
import org.netserv.controller.module.ModuleLife;
import org.netserv.controller.module.ModuleState;

/** An agent that sends as much as it can, and a container that misuses its socket. */
final class HostileAgentTest {
  private static final long MIB = 1 << 20;
  private static final long SPARE = 770_000;
  private static final int MESSAGES = 1_000;

  @TempDir Path directory;
  private SmallNode node;

  @BeforeEach
  void open() throws Exception {
    node = SmallNode.fresh(directory);
    node.send(SmallNode.sign(node.setup("jane", "a.b", "1.0.0")));
    node.send(SmallNode.sign(node.setup("john", "c.d", "1.0.0")));
  }

  @AfterEach
  void close() {
    node.log.close();
    node.audit.close();
  }

  private Containers containers() {
    return node.controller.containers();
  }

  private ModuleLife life(String user) {
    return node.controller.modules().livesOf(user).get(0);
  }

  private static long retained() {
    Runtime runtime = Runtime.getRuntime();
    for (int i = 0; i < 4; i++) {
      System.gc();
    }
    return runtime.totalMemory() - runtime.freeMemory();
  }

  /** Messages of 64 KiB come in, 60 MiB of them. Less than one MiB stays. */
  @Test
  void whatStaysOfLongMessagesIsBounded() throws Exception {
    FakeAgent agent = node.agents.get("jane");
    FakeAgent spare = new FakeAgent(node.loop);
    containers().greeted(SPARE, spare, AgentFrames.hello());
    long before = retained();
    for (int i = 0; i < MESSAGES / 2; i++) {
      containers().event(node.uid("jane"), agent, AgentFrames.event(i));
      containers().event(SPARE, spare, AgentFrames.event(i));
      if (i % 25 == 0) {
        containers().lost(node.uid("jane"), agent, "CLOSED");
        containers().greeted(node.uid("jane"), agent, AgentFrames.hello());
        agent.counters = AgentFrames.counters(i);
        node.loop.advance(2_000);
        agent.asked.clear();
      }
    }
    long grown = retained() - before;
    assertTrue(grown < MIB, grown + " bytes stay of " + MESSAGES + " messages");
    assertEquals(ContainerState.READY, state("john"));
  }

  private ContainerState state(String user) {
    return containers().all().stream()
        .filter(c -> c.user().equals(user))
        .findFirst()
        .orElseThrow()
        .state();
  }

  @Test
  void aMisusingContainerIsRestartedAndItsNeighbourIsNot() {
    containers().misused(node.uid("jane"), "misuses container.sock");
    node.loop.advance(5_000);
    assertEquals(2, starts("jane"));
    assertEquals(1, starts("john"));
    assertEquals(ModuleState.RUNNING, life("jane").state());
    assertTrue(
        node.controller.modules().history().of(life("jane").key()).stream()
            .anyMatch(entry -> entry.reason().contains("misuses container.sock")));
  }

  @Test
  void fiveMisusesInTenMinutesAreTheEndOfAllItsModules() throws Exception {
    node.send(SmallNode.sign(node.setup("jane", "e.f", "1.0.0")));
    for (int i = 0; i < 5; i++) {
      containers().misused(node.uid("jane"), "misuses container.sock");
      node.loop.advance(90_000);
    }
    assertEquals(List.of(), node.controller.modules().livesOf("jane"));
    assertEquals(ModuleState.RUNNING, life("john").state());
    for (String module : List.of("a.b", "e.f")) {
      String last =
          node.controller.modules().history().find(module, "jane").stream()
              .map(key -> node.controller.modules().history().of(key))
              .map(history -> history.get(history.size() - 1).reason())
              .findFirst()
              .orElseThrow();
      assertTrue(last.startsWith("crash loop"), last);
    }
  }

  @Test
  void nobodysMisuseIsNobodysFault() {
    containers().misused(1234, "misuses container.sock");
    containers().misused(SPARE, "misuses container.sock");
    assertEquals(ContainerState.READY, state("jane"));
    assertEquals(ContainerState.READY, state("john"));
  }

  @Test
  void aReportHoldsNothingUnprintable() {
    node.controller.event(
        "report",
        Map.of(
            "container", "jane", "text", "kind=leak%0aFORGED module=a.b what=" + "x".repeat(1000)));
    String because = life("jane").because();
    assertTrue(because.startsWith("leak?FORGED: kind=leak%0aFORGED module=a.b"), because);
    assertFalse(because.contains("\n"));
    assertTrue(because.length() < 600, because.length() + " characters");
  }

  private long starts(String user) {
    return containers().all().stream()
        .filter(c -> c.user().equals(user))
        .mapToLong(c -> c.starts())
        .sum();
  }
}
