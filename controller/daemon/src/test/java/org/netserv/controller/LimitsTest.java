// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.netserv.controller.limit.Limit;
import org.netserv.controller.limit.Limits;

/**
 * A limit that is met becomes a named, counted event. People see it where they look, and no flood
 * of it.
 */
final class LimitsTest extends LivingNode {
  private void running(String module) throws Exception {
    assertEquals(200, node.ask(node.setup("jane", module, "1.0.0")).answer().status());
  }

  /** Sets the count of a limit, which the spawner reports when it is asked next. */
  private void says(Limit limit, long times) {
    node.spawner.stats.put(limit.counter(), "" + times);
    node.loop.advance(10_000);
  }

  private JsonNode why(String module) {
    return node.op(SmallNode.request("why").put("module", module));
  }

  private List<String> history(String module) {
    return why(module).path("history").findValuesAsText("reason").stream()
        .filter(r -> r.startsWith("over its limit"))
        .toList();
  }

  private JsonNode counters() {
    return node.op(SmallNode.request("counters")).path("containers").path(0);
  }

  @ParameterizedTest
  @EnumSource(
      value = Limit.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {"MODULES", "SETUPS"})
  void anIncreaseIsToldByNameWithItsQuota(Limit limit) throws Exception {
    node.settings.quotas = 77;
    running("a.b");
    running("c.d");
    says(limit, 0);
    assertEquals(List.of(), history("a.b"));
    says(limit, 37);
    String text = limit.text(37, "77");
    assertTrue(text.contains("=77") && text.contains("37 " + limit.words()), text);
    assertEquals(List.of(text), history("a.b"));
    assertEquals(List.of(text), history("c.d"), "all of its modules share the container");
    assertEquals("filters written", why("a.b").path("because").asText(), "it is no state");
    JsonNode status = node.op(SmallNode.request("status")).path("limits");
    assertEquals(text, status.path("jane").path(limit.counter()).asText());
    assertEquals(37, counters().path("limits").path(limit.counter()).asLong());
    assertTrue(counters().path("pktio").path(limit.counter()).isMissingNode());
  }

  @Test
  void theLoopOfTheSpawnerIsInTheStatus() throws Exception {
    node.spawner.clock =
        Map.of("loop-slowest", "12345", "loop-over-10ms", "2", "loop-work", "children");
    JsonNode loop = node.op(SmallNode.request("status")).path("spawnerLoop");
    assertEquals(12345, loop.path("slowestMicros").asLong());
    assertEquals(2, loop.path("turnsOver10ms").asLong());
    assertEquals("children", loop.path("slowestWork").asText());
    node.spawner.connected = false;
    assertTrue(node.op(SmallNode.request("status")).path("spawnerLoop").isEmpty());
  }

  @Test
  void theWordsAreThoseOfTheGuide() {
    assertEquals(
        "over its limit: cpu, 37 periods throttled of quota cpu=100", Limit.CPU.text(37, "100"));
  }

  @Test
  void whatIsMetAgainAndAgainPushesNothingOut() throws Exception {
    running("a.b");
    int before = why("a.b").path("history").size();
    for (int i = 1; i <= 100; i++) {
      node.spawner.stats.put(Limit.DISK.counter(), "" + i);
      says(Limit.CPU, 2L * i);
    }
    assertEquals(before + 2, why("a.b").path("history").size());
    assertEquals(200, counters().path("limits").path("over-cpu").asLong());
  }

  @Test
  void theCountOutlivesTheContainer() throws Exception {
    running("a.b");
    node.spawner.stats.put("pid", "100");
    says(Limit.PIDS, 5);
    node.die("jane", "");
    node.spawner.stats.put("pid", "200");
    says(Limit.PIDS, 5);
    assertEquals(10, counters().path("limits").path("over-pids").asLong());
    says(Limit.PIDS, 5);
    assertEquals(10, counters().path("limits").path("over-pids").asLong());
  }

  @Test
  void whatAnEarlierControllerToldIsNotToldAgain() throws Exception {
    running("a.b");
    says(Limit.CPU, 5);
    node = node.restart();
    node.spawner.stats.put("over-cpu", "5");
    node.begin();
    FakeAgent agent = new FakeAgent(node.loop);
    node.controller.containers().greeted(node.uid("jane"), agent, agent.hello());
    node.loop.advance(10_000);
    assertEquals(List.of(), history("a.b"));
    says(Limit.CPU, 7);
    assertEquals(2, counters().path("limits").path("over-cpu").asLong());
  }

  @Test
  void aStatsThatFailsChangesNothing() throws Exception {
    running("a.b");
    says(Limit.CPU, 5);
    node.spawner.connected = false;
    says(Limit.CPU, 9);
    node.spawner.connected = true;
    says(Limit.CPU, 9);
    assertEquals(9, counters().path("limits").path("over-cpu").asLong());
    node.spawner.stats.put("over-cpu", "many");
    node.loop.advance(10_000);
    assertEquals(9, counters().path("limits").path("over-cpu").asLong());
  }

  @Test
  void setupsAndModulesAreNamedTheSameWay() throws Exception {
    node.settings.publishers.get("jane").modules = 1;
    running("a.b");
    assertEquals(403, node.ask(node.setup("jane", "c.d", "1.0.0")).answer().status());
    assertEquals(
        List.of("over its limit: modules, 1 SETUPs of one module too many of quota modules=1"),
        history("a.b"));
    node.settings.publishers.get("jane").setups = 1;
    node.loop.advance(60_000);
    node.ask(node.setup("jane", "a.b", "1.0.0"));
    assertEquals(429, node.ask(node.setup("jane", "a.b", "1.0.0")).answer().status());
    JsonNode status = node.op(SmallNode.request("status")).path("limits").path("jane");
    assertEquals(
        "over its limit: setups, 1 SETUPs too many of quota setups-per-minute=1",
        status.path("over-setups").asText());
  }

  @Test
  void theLogHearsOfEachOnceAMinute() {
    List<String> said = new ArrayList<>();
    Logger logger = Logger.getLogger(Limits.class.getName());
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord line) {
            said.add(line.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    logger.addHandler(handler);
    try {
      Limits limits = new Limits(node.loop, (user, limit, text) -> {});
      for (int i = 0; i < 12; i++) {
        limits.met("jane", Limit.CPU, 1, "100");
        limits.met("jane", Limit.DISK, 1, "64");
        node.loop.advance(10_000);
      }
    } finally {
      logger.removeHandler(handler);
    }
    assertEquals(4, said.size(), said.toString());
  }
}
