// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.netserv.controller.container.AgentEvent;
import org.netserv.controller.log.LogRecord.Answer;
import org.netserv.ncm.Header;
import org.netserv.ncm.Method;
import org.netserv.ncm.Ncm;

/** Every report about a module that sees no packets says that it is quarantined. */
final class QuarantineTest extends LivingNode {
  private static final String WHY = "quarantined: threw 3 times";

  private void quarantine(String module, String version) {
    FakeAgent agent = node.agents.get("jane");
    agent.quarantined.put(module, "threw 3 times");
    AgentEvent event =
        new AgentEvent("quarantined", module, SmallNode.digest(module + version), "threw 3 times");
    node.controller.containers().event(node.uid("jane"), agent, event);
    node.loop.run();
  }

  private JsonNode module() {
    JsonNode container = node.op(SmallNode.request("status")).path("containers").path(0);
    return container.path("modules").path(0);
  }

  private ObjectNode release() {
    return node.op(SmallNode.request("release").put("module", "a.b"));
  }

  private Answer refresh() throws Exception {
    return node.ask(node.setup("jane", "a.b", "1.0.0")).answer();
  }

  @Test
  void statusWhyAndProbeSayIt() throws Exception {
    setup("jane", "a.b", "1.0.0");
    quarantine("a.b", "1.0.0");
    assertEquals("jane/a.b=1.0.0:quarantined", states());
    assertEquals("quarantined", module().path("state").asText());
    assertEquals(WHY, module().path("because").asText());
    ObjectNode why = node.op(SmallNode.request("why").put("module", "a.b"));
    assertEquals("quarantined", why.path("state").asText());
    assertEquals(WHY, why.path("because").asText());
    JsonNode probed = probe();
    assertEquals("quarantined", probed.path("state").asText());
    assertEquals(WHY, probed.path("because").asText());
    assertEquals(0, node.spawner.filters.size(), "nobody waits for a module that sees nothing");
  }

  private JsonNode probe() throws Exception {
    Ncm ncm =
        SmallNode.sign(
            node.message(Ncm.builder(Method.PROBE, "a.b"), "jane").set(Header.PROBE, "module"));
    return node.ask(ncm).data().path("module");
  }

  @Test
  void aRefreshIsRefusedWithTheReasonAndChangesNothing() throws Exception {
    setup("jane", "a.b", "1.0.0");
    quarantine("a.b", "1.0.0");
    long expires = module().path("expires").asLong();
    node.loop.advance(10_000);
    Answer answer = refresh();
    assertEquals(503, answer.status());
    assertTrue(answer.reason().startsWith(WHY), answer.reason());
    assertEquals(WHY, module().path("because").asText());
    assertEquals(expires - 10, module().path("expires").asLong(), "the claim is no longer");
  }

  @Test
  void otherNewsDoNotHideTheReason() throws Exception {
    setup("jane", "a.b", "1.0.0");
    quarantine("a.b", "1.0.0");
    node.controller
        .containers()
        .event(node.uid("jane"), node.agents.get("jane"), new AgentEvent("leak", "a.b", "x"));
    assertEquals(WHY, module().path("because").asText());
    assertEquals(
        WHY, node.op(SmallNode.request("why").put("module", "a.b")).path("because").asText());
  }

  @Test
  void aLoudContainerCannotHideIt() throws Exception {
    setup("jane", "a.b", "1.0.0");
    for (int i = 0; i < 100; i++) {
      AgentEvent leak = new AgentEvent("leak", "a.b", "x");
      node.controller.containers().event(node.uid("jane"), node.agents.get("jane"), leak);
    }
    quarantine("a.b", "1.0.0");
    assertEquals("jane/a.b=1.0.0:quarantined", states());
  }

  @Test
  void anEventOfAnotherVersionIsNotMeant() throws Exception {
    setup("jane", "a.b", "1.0.0");
    setup("jane", "a.b", "1.1.0");
    quarantine("a.b", "1.0.0");
    assertEquals("jane/a.b=1.1.0:running", states());
  }

  @Test
  void aNewVersionLeadsOut() throws Exception {
    setup("jane", "a.b", "1.0.0");
    quarantine("a.b", "1.0.0");
    assertEquals(200, node.ask(node.setup("jane", "a.b", "1.1.0")).answer().status());
    assertEquals("jane/a.b=1.1.0:running", states());
    assertEquals(1, node.spawner.filters.size());
  }

  @Test
  void aNewVersionThatFailsLeavesTheOldOneQuarantined() throws Exception {
    setup("jane", "a.b", "1.0.0");
    quarantine("a.b", "1.0.0");
    node.agents.get("jane").badVersion = "1.1.0";
    Answer answer = node.ask(node.setup("jane", "a.b", "1.1.0")).answer();
    assertTrue(answer.reason().endsWith("version 1.0.0 stays quarantined"), answer.reason());
    assertEquals("jane/a.b=1.0.0:quarantined", states());
    node = node.restart().begin();
    assertEquals("jane/a.b=1.0.0:quarantined", states());
    assertEquals(503, refresh().status());
  }

  @Test
  void theOperatorReleasesIt() throws Exception {
    setup("jane", "a.b", "1.0.0");
    assertEquals("the module is not quarantined", release().path("error").asText());
    quarantine("a.b", "1.0.0");
    ObjectNode reply = release();
    assertTrue(reply.path("ok").asBoolean(), reply.toString());
    assertEquals("jane/a.b=1.0.0:running", states());
    assertEquals(2, node.agents.get("jane").count("install"), "a fresh start, without its faults");
    assertEquals(1, node.spawner.filters.size());
    assertEquals(200, refresh().status());
    String line = node.auditLines().get(node.auditLines().size() - 3);
    assertTrue(line.contains("RELEASE") && line.contains("admin uid=0"), line);
    quarantine("a.b", "1.0.0");
    assertEquals("jane/a.b=1.0.0:quarantined", states(), "once more, if it throws once more");
    assertFalse(node.op(SmallNode.request("release").put("module", "x")).path("ok").asBoolean());
  }

  @Test
  void aReleaseThatMeetsALostConnectionIsNotForgotten() throws Exception {
    setup("jane", "a.b", "1.0.0");
    quarantine("a.b", "1.0.0");
    FakeAgent agent = node.agents.get("jane");
    node.controller.containers().lost(node.uid("jane"), agent, "CLOSED");
    node.controller
        .ops()
        .admin(SmallNode.request("release").put("module", "a.b"), "admin uid=0", reply -> {});
    node.controller.containers().greeted(node.uid("jane"), agent, agent.hello());
    node.loop.run();
    assertEquals("jane/a.b=1.0.0:running", states());
    assertEquals(2, agent.count("install"));
  }

  @Test
  void aStartedContainerDoesNotGetIt() throws Exception {
    setup("jane", "a.b", "1.0.0");
    setup("jane", "c.d", "1.0.0");
    quarantine("a.b", "1.0.0");
    node.die("jane", "");
    node.loop.advance(1_000);
    assertEquals("jane/a.b=1.0.0:quarantined jane/c.d=1.0.0:running", states());
    assertEquals(1, node.agents.get("jane").modules.size());
    assertTrue(release().path("ok").asBoolean());
    assertEquals("jane/a.b=1.0.0:running jane/c.d=1.0.0:running", states());
  }

  @Test
  void itOutlivesTheController() throws Exception {
    setup("jane", "a.b", "1.0.0");
    quarantine("a.b", "1.0.0");
    node = node.restart().begin();
    assertEquals("jane/a.b=1.0.0:quarantined", states());
    assertEquals(WHY, module().path("because").asText());
    assertEquals(503, refresh().status());
    node = node.restart().begin();
    assertEquals("jane/a.b=1.0.0:quarantined", states());
    node.controller
        .ops()
        .admin(SmallNode.request("release").put("module", "a.b"), "admin uid=0", reply -> {});
    node = node.restart().begin();
    node.die("jane", "");
    node.loop.advance(10_000);
    assertEquals("jane/a.b=1.0.0:running", states());
  }

  @Test
  void whatHappenedWithoutAControllerIsHeardFromTheHello() throws Exception {
    setup("jane", "a.b", "1.0.0");
    FakeAgent before = node.agents.get("jane");
    node = node.restart().begin();
    FakeAgent again = new FakeAgent(node.loop);
    again.modules.putAll(before.modules);
    again.sha256.putAll(before.sha256);
    again.quarantined.put("a.b", "threw 3 times");
    node.controller.containers().greeted(node.uid("jane"), again, again.hello());
    node.loop.run();
    assertEquals("jane/a.b=1.0.0:quarantined", states());
    assertTrue(module().path("because").asText().contains("threw 3 times"));
    assertEquals(0, node.spawner.filters.size());
  }

  @Test
  void removeAndTheEndOfItsClaimsEndIt() throws Exception {
    setup("jane", "a.b", "1.0.0");
    quarantine("a.b", "1.0.0");
    assertEquals(200, node.ask(node.remove("jane", "a.b")).answer().status());
    setup("jane", "a.b", "1.0.0");
    quarantine("a.b", "1.0.0");
    node.loop.advance(3_700_000);
    assertEquals("", states());
  }
}
