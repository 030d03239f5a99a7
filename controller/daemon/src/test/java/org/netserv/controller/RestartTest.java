// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.netserv.ncm.Header;
import org.netserv.ncm.Ncm;

/** The state that a restarted controller finds. */
final class RestartTest extends LivingNode {
  @Test
  void aRestartFindsEverythingAsItWas() throws Exception {
    setup("jane", "a.b", "1.0.0");
    setup("john", "c.d", "2.0.0");
    assertEquals(
        200,
        node.ask(node.setup("jane", "short.one", "1.0.0").set(Header.TTL, 30)).answer().status());
    FakeAgent jane = node.agents.get("jane");
    Map<String, FakeAgent> agents = Map.copyOf(node.agents);
    node = node.restart();
    node.loop.advance(31_000);
    node.begin();
    agents.forEach(
        (user, agent) -> {
          FakeAgent same = new FakeAgent(node.loop);
          same.modules.putAll(agent.modules);
          same.sha256.putAll(agent.sha256);
          node.agents.put(user, same);
          node.controller.containers().greeted(node.uid(user), same, same.hello());
        });
    node.loop.run();
    assertEquals("jane/a.b=1.0.0:running john/c.d=2.0.0:running", states());
    assertEquals(0, node.agents.get("jane").count("install"), "what runs is not touched");
    assertEquals(
        Map.of("a.b", "1.0.0"),
        node.agents.get("jane").modules,
        "what expired meanwhile is removed");
    assertEquals(2, jane.modules.size());
    assertEquals(2, node.spawner.filters.size());
    assertEquals(0, node.jobs.fetched.size());
  }

  @Test
  void aRestartStartsWhatDiedMeanwhile() throws Exception {
    setup("jane", "a.b", "1.0.0");
    node.spawner.running.clear();
    node = node.restart().begin();
    node.loop.advance(5_000);
    assertEquals("jane/a.b=1.0.0:running", states());
    assertEquals(1, node.agents.get("jane").count("install"));
    assertEquals(0, node.jobs.fetched.size(), "the bundle is in the store");
  }

  @Test
  void aRestartFetchesAgainWhatIsNotInTheStore() throws Exception {
    setup("jane", "a.b", "1.0.0");
    node.spawner.running.clear();
    node.store.sweep(java.util.Set.of());
    node = node.restart().begin();
    node.loop.advance(5_000);
    assertEquals("jane/a.b=1.0.0:running", states());
    assertEquals(1, node.jobs.fetched.size());
  }

  @Test
  void aRestartInTheMiddleOfAReplacementGoesOnWithIt() throws Exception {
    setup("jane", "a.b", "1.0.0");
    node.jobs.hold = true;
    Ncm second = SmallNode.sign(node.setup("jane", "a.b", "2.0.0"));
    node.send(second);
    node.spawner.running.clear();
    node = node.restart().begin();
    node.loop.advance(5_000);
    assertEquals("jane/a.b=2.0.0:running", states());
    assertEquals(200, node.ask(second).answer().status(), "the repetition hears the end state");
  }

  @Test
  void aRestartKeepsFreshness() throws Exception {
    Ncm ncm = SmallNode.sign(node.setup("jane", "a.b", "1.0.0").set(Header.SEQ, 7));
    node.ask(ncm);
    node = node.restart().begin();
    assertEquals(200, node.ask(ncm).answer().status(), "the stored answer");
    assertEquals(
        409, node.ask(node.setup("jane", "a.b", "2.0.0").set(Header.SEQ, 7)).answer().status());
  }
}
