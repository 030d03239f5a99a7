// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.controller.spawner.SpawnerRequest;
import org.netserv.ncm.Header;
import org.netserv.ncm.Ncm;

/** Connections are taken while their module runs, and at no other time. */
final class TakenConnectionsTest extends LivingNode {
  private static final String TAKEN = "take=8080";

  private Ncm.Builder web(String version) {
    return node.setup("jane", "a.b", version)
        .set(Header.TAKE, "80:8080")
        .unset(Header.FILTER_PORT)
        .unset(Header.FILTER_PROTO);
  }

  private int up() throws Exception {
    return node.ask(web("1.0.0")).answer().status();
  }

  private boolean taken() {
    return node.spawner.filters.stream().anyMatch(line -> line.endsWith(TAKEN));
  }

  @Test
  void theyAreNoFiltersOfTheModule() throws Exception {
    assertEquals(200, up());
    assertEquals(
        List.of("family=4 proto=6 dst=192.0.2.0/24 dport=80-80 queue=0 take=8080"),
        node.spawner.filters);
    assertEquals(0, node.agents.get("jane").asked.get(0).path("filters").size());
    assertEquals(200, node.ask(node.remove("jane", "a.b")).answer().status());
    assertEquals(List.of(), node.spawner.filters);
  }

  /** A queue lets packets by until its module is there. Connections have none. */
  @Test
  void theyComeAfterTheInstallation() throws Exception {
    node.greet = false;
    node.send(SmallNode.sign(web("1.0.0")));
    node.loop.run();
    assertTrue(node.spawner.asked.stream().noneMatch(TakenConnectionsTest::takes));
    node.greet = true;
    FakeAgent agent = new FakeAgent(node.loop);
    agent.delay = 500;
    node.agents.put("jane", agent);
    node.controller.containers().greeted(node.uid("jane"), agent, agent.hello());
    node.loop.advance(400);
    assertEquals("jane/a.b=1.0.0:installing", states());
    assertTrue(!taken());
    node.loop.advance(200);
    assertEquals("jane/a.b=1.0.0:running", states());
    assertTrue(taken());
  }

  private static boolean takes(SpawnerRequest request) {
    return request.lines().stream().anyMatch(line -> line.endsWith(TAKEN));
  }

  @Test
  void theyGoOnWhileTheContainerIsAway() throws Exception {
    assertEquals(200, up());
    node.greet = false;
    node.die("jane", "");
    assertEquals("jane/a.b=1.0.0:recovering", states());
    assertTrue(!taken());
    node.loop.advance(5_000);
    FakeAgent agent = new FakeAgent(node.loop);
    agent.delay = 500;
    node.agents.put("jane", agent);
    node.controller.containers().greeted(node.uid("jane"), agent, agent.hello());
    node.loop.advance(100);
    assertEquals("jane/a.b=1.0.0:reinstalling", states());
    assertTrue(!taken());
    node.loop.advance(1_000);
    assertEquals("jane/a.b=1.0.0:running", states());
    assertTrue(taken());
  }

  @Test
  void theyGoOnWhileAnotherVersionTakesThePlace() throws Exception {
    assertEquals(200, up());
    node.agents.get("jane").delay = 500;
    node.send(SmallNode.sign(web("2.0.0")));
    node.loop.advance(400);
    assertEquals("jane/a.b=2.0.0:installing jane/a.b=1.0.0:running", states());
    assertTrue(!taken());
    node.loop.advance(1_000);
    assertEquals("jane/a.b=2.0.0:running", states());
    assertTrue(taken());
  }

  @Test
  void theyComeBackToAVersionThatStays() throws Exception {
    assertEquals(200, up());
    node.agents.get("jane").badVersion = "2.0.0";
    assertEquals(500, node.ask(web("2.0.0")).answer().status());
    node.loop.run();
    assertEquals("jane/a.b=1.0.0:running", states());
    assertTrue(taken());
  }
}
