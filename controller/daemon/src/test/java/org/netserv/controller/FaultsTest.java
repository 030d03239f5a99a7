// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.netserv.controller.container.AgentEvent;
import org.netserv.controller.container.ContainerState;
import org.netserv.controller.log.LogRecord.Answer;
import org.netserv.controller.ncm.NcmReply;
import org.netserv.ncm.Header;
import org.netserv.ncm.Ncm;

/** Containers that die, hang or misbehave, and the consequences for their modules. */
final class FaultsTest extends LivingNode {
  @Test
  void aDeadContainerComesBackWithItsModules() throws Exception {
    setup("jane", "a.b", "1.0.0");
    setup("jane", "c.d", "1.0.0");
    node.die("jane", "");
    assertEquals("jane/a.b=1.0.0:recovering jane/c.d=1.0.0:recovering", states());
    assertEquals(1, node.spawner.filters.size(), "filters stay: their queue bypasses meanwhile");
    node.loop.advance(19);
    assertEquals(1, node.spawner.count("start"));
    node.loop.advance(1);
    assertEquals(2, node.spawner.count("start"));
    assertEquals("jane/a.b=1.0.0:running jane/c.d=1.0.0:running", states());
    assertEquals(2, node.agents.get("jane").modules.size());
    node.die("jane", "");
    node.loop.advance(999);
    assertEquals(2, node.spawner.count("start"), "the second back-off is longer");
    node.loop.advance(1);
    assertEquals(3, node.spawner.count("start"));
  }

  @Test
  void aCrashLoopStopsTheCulpritAndSparesItsNeighbours() throws Exception {
    setup("jane", "bad.one", "1.0.0");
    setup("jane", "good.one", "1.0.0");
    for (int i = 0; i < 4; i++) {
      node.die("jane", "kind=exit code=7 module=bad.one thread=worker-1 dump=dumps/x.txt");
      node.loop.advance(60_000);
      assertEquals(
          "jane/bad.one=1.0.0:running jane/good.one=1.0.0:running", states(), "death " + i);
    }
    node.die("jane", "kind=crash signal=11 module=bad.one dump=hs_err.log");
    node.loop.advance(60_000);
    assertEquals("jane/good.one=1.0.0:running", states());
    assertEquals(1, node.log.snapshot().modules().size());
    ObjectNode why = node.op(SmallNode.request("why").put("module", "bad.one"));
    assertEquals("failed", why.path("state").asText());
    assertTrue(why.path("because").asText().startsWith("crash loop"), why.toString());
    assertTrue(why.path("history").toString().contains("signal=11"));
  }

  @Test
  void deathsFarApartAreNoLoop() throws Exception {
    setup("jane", "bad.one", "1.0.0");
    for (int i = 0; i < 8; i++) {
      node.die("jane", "kind=exit code=7 module=bad.one thread=t dump=-");
      node.loop.advance(181_000);
      assertEquals("jane/bad.one=1.0.0:running", states(), "death " + i);
    }
  }

  @Test
  void aModuleThatKillsItsContainerAtStartHasNoSecondTry() throws Exception {
    node.greet = false;
    List<NcmReply> replies = node.send(SmallNode.sign(node.setup("jane", "a.b", "1.0.0")));
    FakeAgent agent = new FakeAgent(node.loop);
    agent.silent = true;
    node.controller.containers().greeted(node.uid("jane"), agent, agent.hello());
    node.loop.run();
    assertEquals("jane/a.b=1.0.0:installing", states());
    node.die("jane", "kind=exit code=7 module=a.b thread=main dump=-");
    assertEquals(500, replies.get(0).answer().status());
    assertTrue(
        replies.get(0).answer().reason().contains("code=7"), replies.get(0).answer().reason());
    assertEquals("", states());
    assertEquals(ContainerState.IDLE, container());
  }

  @Test
  void theReportExplainsALossThatTheSocketToldFirst() throws Exception {
    node.greet = false;
    List<NcmReply> replies = node.send(SmallNode.sign(node.setup("jane", "a.b", "1.0.0")));
    FakeAgent agent = new FakeAgent(node.loop);
    agent.silent = true;
    node.controller.containers().greeted(node.uid("jane"), agent, agent.hello());
    node.loop.run();
    node.controller.containers().lost(node.uid("jane"), agent, "CLOSED");
    node.loop.advance(100);
    assertEquals(0, replies.size());
    node.die("jane", "kind=oom what=Java%20heap%20space module=a.b dump=-");
    String reason = replies.get(0).answer().reason();
    assertTrue(reason.contains("Java%20heap%20space") && reason.contains("exit:7"), reason);
  }

  @Test
  void aLostConnectionAloneIsForgivenOnceItIsBack() throws Exception {
    setup("jane", "a.b", "1.0.0");
    FakeAgent agent = node.agents.get("jane");
    node.controller.containers().lost(node.uid("jane"), agent, "CLOSED");
    node.loop.advance(500);
    FakeAgent again = new FakeAgent(node.loop);
    again.modules.putAll(agent.modules);
    again.sha256.putAll(agent.sha256);
    node.controller.containers().greeted(node.uid("jane"), again, again.hello());
    node.loop.run();
    assertEquals("jane/a.b=1.0.0:running", states());
    assertEquals(0, again.count("install"));
    assertEquals(1, node.spawner.count("start"));
  }

  @Test
  void aSecondConnectionEndsWhatTheFirstHadUnderWay() throws Exception {
    node.greet = false;
    List<NcmReply> replies = node.send(SmallNode.sign(node.setup("jane", "a.b", "1.0.0")));
    FakeAgent agent = new FakeAgent(node.loop);
    agent.silent = true;
    node.controller.containers().greeted(node.uid("jane"), agent, agent.hello());
    node.loop.run();
    FakeAgent again = new FakeAgent(node.loop);
    node.controller.containers().greeted(node.uid("jane"), again, again.hello());
    node.loop.run();
    assertTrue(agent.closed);
    assertEquals(500, replies.get(0).answer().status());
    assertEquals("", states());
  }

  @Test
  void anAgentThatHangsInAnInstall() throws Exception {
    node.greet = false;
    List<NcmReply> replies = node.send(SmallNode.sign(node.setup("jane", "a.b", "1.0.0")));
    FakeAgent agent = new FakeAgent(node.loop);
    agent.silent = true;
    node.controller.containers().greeted(node.uid("jane"), agent, agent.hello());
    node.loop.advance(120_000);
    assertEquals(202, replies.get(0).answer().status());
    assertEquals("", states());
    assertTrue(node.spawner.asked.stream().anyMatch(r -> r.verb().equals("stop")));
  }

  @Test
  void aSilentAgentIsStoppedWithADumpAndReplaced() throws Exception {
    setup("jane", "a.b", "1.0.0");
    node.agents.get("jane").silent = true;
    node.loop.advance(30_000);
    assertTrue(
        node.spawner.asked.stream()
            .anyMatch(r -> r.verb().equals("stop") && r.values().get("dump").equals("1")));
    assertEquals(2, node.spawner.count("start"));
    assertEquals("jane/a.b=1.0.0:running", states());
  }

  @Test
  void aContainerThatNeverGreets() throws Exception {
    node.greet = false;
    Ncm ncm = SmallNode.sign(node.setup("jane", "a.b", "1.0.0"));
    node.send(ncm);
    node.loop.advance(60_000);
    assertEquals("", states());
    assertFalse(node.spawner.running.contains("jane"));
    NcmReply end = node.ask(ncm);
    assertTrue(end.answer().status() >= 500, end.answer().toString());
  }

  @Test
  void aContainerThatCannotBeStarted() throws Exception {
    node.spawner.refuseStart = "memory: no such controller";
    Answer answer = node.ask(node.setup("jane", "a.b", "1.0.0")).answer();
    assertEquals(503, answer.status());
    assertTrue(answer.reason().contains("memory: no such controller"), answer.reason());
    assertEquals("", states());
    int starts = (int) node.spawner.count("start");
    node.loop.advance(600_000);
    assertEquals(starts, node.spawner.count("start"), "nobody needs it any more");
  }

  @Test
  void aRestartedSpawnerHasNoContainers() throws Exception {
    setup("jane", "a.b", "1.0.0");
    node.controller.disconnected();
    node.spawner.running.clear();
    node.spawner.filters = List.of();
    node.agents.remove("jane");
    node.controller.connected();
    node.loop.advance(10_000);
    assertEquals("jane/a.b=1.0.0:running", states());
    assertEquals(2, node.spawner.count("start"));
    assertEquals(1, node.spawner.filters.size());
  }

  @Test
  void aLostSpawnerConnectionAloneChangesNothing() throws Exception {
    setup("jane", "a.b", "1.0.0");
    node.controller.disconnected();
    node.controller.connected();
    node.loop.advance(10_000);
    assertEquals("jane/a.b=1.0.0:running", states());
    assertEquals(1, node.spawner.count("start"));
    assertEquals(1, node.agents.get("jane").count("install"));
  }

  @Test
  void aRefreshOfWhatIsAwayIsRefusedAloneIfItIsWrong() throws Exception {
    setup("jane", "a.b", "1.0.0");
    node.die("jane", "");
    List<NcmReply> replies =
        node.send(
            SmallNode.sign(
                node.setup("jane", "a.b", "1.0.0").set(Header.PROPERTIES, "limit=many")));
    assertEquals(0, replies.size(), "nobody can tell yet");
    node.agents.put("jane", new FakeAgent(node.loop));
    node.agents.get("jane").badProperty = "many";
    node.loop.advance(1_000);
    assertEquals(424, replies.get(0).answer().status());
    assertEquals("jane/a.b=1.0.0:running", states(), "with what it had");
    assertEquals(2, node.agents.get("jane").count("install"));
    assertEquals(
        "",
        node.controller.modules().lives().get(0).order().properties().getOrDefault("limit", ""));
  }

  @Test
  void aRefreshThatTheFoundModuleRefusesIsNotAnswered200() throws Exception {
    setup("jane", "a.b", "1.0.0");
    FakeAgent agent = node.agents.get("jane");
    node.controller.containers().lost(node.uid("jane"), agent, "CLOSED");
    node.loop.advance(500);
    agent.badProperty = "many";
    List<NcmReply> replies =
        node.send(
            SmallNode.sign(
                node.setup("jane", "a.b", "1.0.0").set(Header.PROPERTIES, "limit=many")));
    node.controller.containers().greeted(node.uid("jane"), agent, agent.hello());
    node.loop.run();
    assertEquals(424, replies.get(0).answer().status());
    assertEquals("jane/a.b=1.0.0:running", states());
    assertEquals("{}", last(agent, "configure").path("properties").toString(), "as before");
  }

  private static ObjectNode last(FakeAgent agent, String op) {
    return agent.asked.stream()
        .filter(r -> r.path("op").asText().equals(op))
        .reduce((first, second) -> second)
        .orElseThrow();
  }

  @Test
  void whatAContainerSaysIsBounded() throws Exception {
    setup("jane", "a.b", "1.0.0");
    for (String module : List.of("made.up", "a.b")) {
      node.controller
          .containers()
          .event(node.uid("jane"), node.agents.get("jane"), new AgentEvent("leak", module, "long"));
    }
    String because = node.controller.modules().lives().get(0).because();
    assertEquals("leak: long", because);
    for (int i = 3; i < 1000; i++) {
      AgentEvent event = new AgentEvent("leak", "a.b", "" + i);
      node.controller.containers().event(node.uid("jane"), node.agents.get("jane"), event);
    }
    assertEquals("leak: 60", node.controller.modules().lives().get(0).because());
    node.loop.advance(60_000);
    node.die("jane", "kind=exit code=7 module=a.b thread=main");
    assertTrue(
        node.controller.modules().lives().get(0).because().contains("kind=exit"),
        node.controller.modules().lives().get(0).because());
    assertEquals(List.of(), node.controller.modules().history().find("made.up", null));
  }

  @Test
  void agentsOfNobodyAreSentAway() {
    FakeAgent stranger = new FakeAgent(node.loop);
    node.controller.containers().greeted(1234, stranger, stranger.hello());
    assertTrue(stranger.closed);
  }

  @Test
  void surplusModulesAreRemoved() throws Exception {
    setup("jane", "a.b", "1.0.0");
    FakeAgent again = new FakeAgent(node.loop);
    again.modules.put("a.b", "1.0.0");
    again.sha256.put("a.b", SmallNode.digest("a.b1.0.0"));
    again.modules.put("left.over", "1.0.0");
    again.sha256.put("left.over", "x");
    node.controller.containers().greeted(node.uid("jane"), again, again.hello());
    node.loop.run();
    assertEquals(Map.of("a.b", "1.0.0"), again.modules);
    assertEquals(0, again.count("install"));
  }
}
