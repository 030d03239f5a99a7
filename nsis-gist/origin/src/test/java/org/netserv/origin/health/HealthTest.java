// SPDX-License-Identifier: Apache-2.0
package org.netserv.origin.health;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.netserv.coverage.count.Counters;
import org.netserv.origin.count.OriginCounter;
import org.netserv.origin.health.HealthPort.Outcome;

/** A module that does not answer gets no users, in virtual time. */
class HealthTest {
  private static final long INTERVAL = 5_000;

  private final Counters counters = new Counters(OriginCounter.values());
  private final List<String> log = new ArrayList<>();
  private final Map<String, Outcome> outcomes = new HashMap<>();
  private final Deque<Runnable> waiting = new ArrayDeque<>();
  private final Map<String, String> running = new HashMap<>(Map.of("a", "http://a/"));
  private int checks;
  private long now = 1_000_000;

  private final Health health =
      new Health(
          (url, listener) -> {
            checks++;
            Outcome outcome = outcomes.getOrDefault(url, Outcome.SILENT);
            waiting.add(() -> listener.checked(outcome));
          },
          INTERVAL,
          counters,
          new Health.Listener() {
            @Override
            public void up(String nodeId) {
              log.add("up " + nodeId);
            }

            @Override
            public void down(String nodeId) {
              log.add("down " + nodeId);
            }
          });

  private void run(long millis) {
    for (long end = now + millis; now < end; now += 100) {
      health.turn(running, now);
      while (!waiting.isEmpty()) {
        waiting.poll().run();
      }
    }
  }

  @Test
  void aNewModuleGetsUsersOnlyWhenItHasAnswered() {
    run(3_000);
    assertFalse(health.answers("a"));
    assertEquals(3, checks, "asked again after a second");
    outcomes.put("http://a/", Outcome.ANSWERED);
    run(1_100);
    assertTrue(health.answers("a"));
    assertEquals(List.of("up a"), log);
    int before = checks;
    run(10 * INTERVAL);
    assertEquals(before + 10, checks, "once each interval");
  }

  @Test
  void oneSilenceIsForgivenAndTwoAreNot() {
    outcomes.put("http://a/", Outcome.ANSWERED);
    run(1_000);
    outcomes.put("http://a/", Outcome.SILENT);
    run(INTERVAL);
    assertEquals("doubted", health.state("a"));
    assertTrue(health.answers("a"));
    run(1_100);
    assertFalse(health.answers("a"));
    outcomes.put("http://a/", Outcome.ANSWERED);
    run(INTERVAL);
    assertTrue(health.answers("a"));
    assertEquals(List.of("up a", "down a", "up a"), log);
    assertEquals(2, counters.get(OriginCounter.CHECKS_SILENT));
    assertEquals(1, counters.get(OriginCounter.EDGES_DOWN));
  }

  @Test
  void aRefusedConnectionCountsAtOnce() {
    outcomes.put("http://a/", Outcome.ANSWERED);
    run(1_000);
    outcomes.put("http://a/", Outcome.REFUSED);
    run(INTERVAL);
    assertFalse(health.answers("a"));
    assertEquals(List.of("up a", "down a"), log);
  }

  @Test
  void aModuleThatRunsNoMoreIsForgotten() {
    outcomes.put("http://a/", Outcome.ANSWERED);
    health.turn(running, now);
    running.clear();
    health.turn(running, now);
    waiting.poll().run();
    assertFalse(health.answers("a"));
    assertEquals("not checked", health.state("a"));
    running.put("a", "http://b/");
    run(1_000);
    assertFalse(health.answers("a"), "at another address the module is a new one");
  }
}
