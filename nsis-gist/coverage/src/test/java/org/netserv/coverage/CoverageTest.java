// SPDX-License-Identifier: Apache-2.0
package org.netserv.coverage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.netserv.coverage.FakePaths.ip;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.netserv.coverage.count.Counters;
import org.netserv.coverage.count.PathCounter;
import org.netserv.coverage.path.PathBudget;

/** One deployment for each edge node, with virtual time. */
class CoverageTest {
  private static final long TTL = 600_000;
  private static final long CHECK = 60_000;
  private static final int ADDRESSES = 50;
  private static final int IN_FLIGHT = 4;

  private final FakePaths paths = new FakePaths();
  private final FakePaths.Memory store = new FakePaths.Memory();
  private final Counters counters = new Counters();
  private final Set<InetAddress> changed = new LinkedHashSet<>();
  private long now = 1_000_000;
  private Coverage coverage = coverage(IN_FLIGHT, 60_000);

  private Coverage coverage(int inFlight, int perMinute) {
    return new Coverage(
        paths,
        new PathBudget(inFlight, perMinute, now),
        store,
        new Coverage.Settings(TTL, CHECK, CHECK, ADDRESSES),
        counters,
        new Random(1),
        (address, time) -> changed.add(address));
  }

  /** Passes time in turns of 100 ms, and delivers each answer in the turn behind its question. */
  private void run(long millis) {
    for (long end = now + millis; now < end; now += 100) {
      coverage.turn(now);
      paths.deliver();
    }
  }

  private void want(String address) {
    assertTrue(coverage.want(ip(address), now));
  }

  private int state(String name) {
    return coverage.states().get(name);
  }

  @Test
  void manyAgentsAndAddressesBehindOneEdgeShareOneDeployment() {
    for (int i = 1; i <= 20; i++) {
      paths.path("198.51.100." + i, "a", "b");
      want("198.51.100." + i);
      want("198.51.100." + i);
    }
    run(5_000);
    assertEquals(20, state("COVERED"));
    assertEquals(1, paths.count("setup"));
    assertEquals(20, paths.count("probe"));
    assertEquals(Set.of("b"), paths.running, "the node nearest to the agents");
    assertEquals(ip("10.0.0.2"), coverage.covering(ip("198.51.100.7")).orElseThrow());
  }

  @Test
  void aNodeIsRefreshedBeforeItsTtlAndPathsAreChecked() {
    paths.path("198.51.100.1", "a");
    paths.path("198.51.100.2", "a");
    want("198.51.100.1");
    want("198.51.100.2");
    run(10 * TTL);
    assertEquals(0, counters.get(PathCounter.NODES_EXPIRED));
    assertEquals(1, counters.get(PathCounter.SETUPS));
    long refreshes = counters.get(PathCounter.REFRESHES);
    assertTrue(refreshes >= 20 && refreshes <= 30, refreshes + " refreshes");
    long probes = paths.count("probe");
    assertTrue(probes >= 2 * 100 && probes <= 2 * 116, probes + " probes");
    assertEquals(0, paths.count("setup a 198.51.100.2"), "one session is one claim on the module");
  }

  @Test
  void aRouteChangeMovesTheAddressesAndTheOldNodeIsLeft() {
    paths.path("198.51.100.1", "a");
    paths.path("198.51.100.2", "a");
    want("198.51.100.1");
    want("198.51.100.2");
    run(2_000);
    paths.path("198.51.100.1", "c");
    paths.path("198.51.100.2", "c");
    run(CHECK + 10_000);
    assertEquals(2, state("COVERED"));
    assertEquals(2, counters.get(PathCounter.PATHS_MOVED));
    assertEquals(Set.of("a", "c"), paths.running, "no REMOVE reaches a node off the path");
    assertEquals(List.of("c"), coverage.nodes().stream().map(Coverage.NodeView::id).toList());
    assertEquals(Set.of("c"), store.nodes.keySet());
  }

  @Test
  void aNodeThatTheSessionsPathLeftIsRefreshedAlongAnotherAtOnce() {
    paths.path("198.51.100.1", "a");
    paths.path("198.51.100.2", "a");
    want("198.51.100.1");
    want("198.51.100.2");
    run(2_000);
    assertEquals(1, paths.count("setup a 198.51.100.1"));
    paths.path("198.51.100.1", "c");
    run(CHECK + 1_000);
    assertEquals(1, counters.get(PathCounter.PATHS_MOVED));
    assertEquals(1, paths.count("setup a 198.51.100.2"));
    coverage.unwant(ip("198.51.100.2"), now);
    run(20_000);
    assertEquals(Set.of(ip("198.51.100.1")), paths.claimed.get("a"), "ends with its TTL");
  }

  @Test
  void theLastAgentThatLeavesTakesTheModuleAway() {
    paths.path("198.51.100.1", "a");
    want("198.51.100.1");
    want("198.51.100.1");
    run(2_000);
    coverage.unwant(ip("198.51.100.1"), now);
    run(20_000);
    assertEquals(Set.of("a"), paths.running);
    coverage.unwant(ip("198.51.100.1"), now);
    run(Coverage.LINGER - 1_000);
    assertEquals(Set.of("a"), paths.running, "an agent may come back for a moment");
    run(3_000);
    assertEquals(Set.of(), paths.running);
    assertEquals(List.of(), coverage.nodes());
    assertTrue(store.nodes.isEmpty() && store.addresses.isEmpty());
  }

  /** A node keeps a module as long as any session has a claim on it. */
  @Test
  void eachSessionInWhichTheModuleWasSetUpIsRemoved() {
    paths.path("198.51.100.1", "a");
    paths.path("198.51.100.2", "a");
    want("198.51.100.1");
    want("198.51.100.2");
    run(2_000);
    coverage.unwant(ip("198.51.100.1"), now);
    run(TTL / 2);
    assertEquals(Map.of("a", 2), paths.claims());
    coverage.unwant(ip("198.51.100.2"), now);
    run(20_000);
    assertEquals(2, paths.count("remove a"));
    assertEquals(Set.of(), paths.running);
  }

  @Test
  void anAgentThatComesBackInTimeKeepsTheModule() {
    paths.path("198.51.100.1", "a");
    want("198.51.100.1");
    run(2_000);
    coverage.unwant(ip("198.51.100.1"), now);
    run(1_000);
    want("198.51.100.1");
    run(20_000);
    assertEquals(0, paths.count("remove"));
    assertEquals(1, state("COVERED"));
  }

  @Test
  void aNodeThatRefusesIsPassedOverForTheNextOnThePath() {
    paths.path("198.51.100.1", "a", "b");
    paths.refusing.add("b");
    want("198.51.100.1");
    run(5_000);
    assertEquals(Set.of("a"), paths.running);
    assertEquals(ip("10.0.0.1"), coverage.covering(ip("198.51.100.1")).orElseThrow());
    paths.refusing.clear();
    run(3 * CHECK);
    assertEquals(ip("10.0.0.2"), coverage.covering(ip("198.51.100.1")).orElseThrow());
  }

  @Test
  void aPathWithoutNodesIsBareAndAskedAgainLater() {
    want("198.51.100.1");
    run(5_000);
    assertEquals(1, state("BARE"));
    assertEquals(1, paths.count("probe"));
    paths.path("198.51.100.1", "a");
    run(CHECK);
    assertEquals(1, state("COVERED"));
  }

  @Test
  void aNodeThatIsNotKnownGetsNothing() {
    paths.path("198.51.100.1", "a");
    paths.unknown.add("a");
    want("198.51.100.1");
    run(CHECK);
    assertEquals(0, paths.count("setup"));
    assertEquals(1, state("BARE"));
    assertTrue(counters.get(PathCounter.NODES_UNKNOWN) >= 1);
  }

  @Test
  void aNodeThatIsLearnedAtFirstSightGetsTheModuleAtTheNextQuestion() {
    paths.path("198.51.100.1", "a");
    paths.unknown.add("a");
    want("198.51.100.1");
    run(500);
    paths.unknown.clear();
    run(3_000);
    assertEquals(1, state("COVERED"));
  }

  @Test
  void oneLostAnswerCostsNoCoverage() {
    paths.path("198.51.100.1", "a");
    want("198.51.100.1");
    run(2_000);
    paths.paths.clear();
    for (long before = paths.count("probe"); paths.count("probe") == before; ) {
      run(100);
    }
    paths.path("198.51.100.1", "a");
    run(CHECK);
    assertEquals(1, state("COVERED"));
    assertEquals(1, counters.get(PathCounter.SETUPS));
  }

  @Test
  void silenceIsAskedAgainWithGrowingPausesUntilTheTtlIsOver() {
    paths.path("198.51.100.1", "a");
    want("198.51.100.1");
    run(2_000);
    paths.silent = true;
    run(TTL);
    assertEquals(1, counters.get(PathCounter.NODES_EXPIRED));
    assertEquals(0, state("COVERED"));
    assertTrue(paths.count("probe") < 60, paths.count("probe") + " probes");
    paths.silent = false;
    run(100_000);
    assertEquals(1, state("COVERED"));
  }

  @Test
  void aRestartTakesUpWhatWasThereWithoutANewDeployment() {
    paths.path("198.51.100.1", "a");
    paths.path("198.51.100.2", "a");
    want("198.51.100.1");
    want("198.51.100.2");
    run(2_000);
    coverage = coverage(IN_FLIGHT, 60_000);
    coverage.restore(now);
    want("198.51.100.1");
    coverage.settle(now);
    assertEquals(ip("10.0.0.1"), coverage.covering(ip("198.51.100.1")).orElseThrow());
    run(5_000);
    assertEquals(1, counters.get(PathCounter.SETUPS), "before the restart");
    assertEquals(1, counters.get(PathCounter.REFRESHES));
    assertEquals(1, state("COVERED"));
    assertEquals(Set.of(ip("198.51.100.1")), store.addresses.keySet());
  }

  @Test
  void aRestartForgetsNodesWhoseTtlIsOver() {
    paths.path("198.51.100.1", "a");
    want("198.51.100.1");
    run(2_000);
    now += TTL + 1;
    coverage = coverage(IN_FLIGHT, 60_000);
    coverage.restore(now);
    want("198.51.100.1");
    coverage.settle(now);
    assertTrue(coverage.covering(ip("198.51.100.1")).isEmpty());
    run(5_000);
    assertEquals(2, counters.get(PathCounter.SETUPS));
  }

  @Test
  void messagesAreBoundedAtATimeAndByTheMinute() {
    coverage = coverage(IN_FLIGHT, 60);
    for (int i = 1; i <= ADDRESSES; i++) {
      paths.path("198.51.100." + i, "a");
      want("198.51.100." + i);
    }
    for (int i = 0; i < 100; i++) {
      coverage.turn(now);
      now += 100;
    }
    assertEquals(IN_FLIGHT, paths.most);
    paths.deliver();
    long before = paths.log.size();
    run(20_000);
    long sent = paths.log.size() - before;
    assertTrue(sent >= 19 && sent <= 25, sent + " messages in 20 s");
  }

  @Test
  void addressesAboveTheBoundAreRefusedAndCounted() {
    for (int i = 1; i <= ADDRESSES; i++) {
      want("198.51.100." + i);
    }
    assertFalse(coverage.want(ip("192.0.2.1"), now));
    assertEquals(1, counters.get(PathCounter.ADDRESSES_FULL));
    want("198.51.100.1");
    coverage.unwant(ip("198.51.100.2"), now);
    want("192.0.2.1");
  }

  /** Agents, paths, refusals and losses change at random; then all settles as it must. */
  @Test
  void whateverHappensItSettles() {
    for (int seed = 0; seed < 60; seed++) {
      Random random = new Random(seed);
      paths.log.clear();
      Map<String, Integer> wanted = new HashMap<>();
      List<String> nodes = List.of("a", "b", "c", "d");
      for (int step = 0; step < 400; step++) {
        String address = "198.51.100." + (1 + random.nextInt(12));
        switch (random.nextInt(6)) {
          case 0, 1 -> {
            want(address);
            wanted.merge(address, 1, Integer::sum);
          }
          case 2 -> {
            if (wanted.getOrDefault(address, 0) > 0) {
              coverage.unwant(ip(address), now);
              wanted.merge(address, -1, Integer::sum);
            }
          }
          case 3 -> paths.path(address, some(nodes, random));
          case 4 -> {
            paths.refusing.clear();
            paths.refusing.addAll(List.of(some(nodes, random)));
          }
          default -> paths.silent = random.nextInt(4) == 0;
        }
        run(random.nextInt(20_000));
      }
      settle(wanted);
    }
  }

  private static String[] some(List<String> nodes, Random random) {
    List<String> some = new ArrayList<>();
    for (String node : nodes) {
      if (random.nextInt(3) == 0) {
        some.add(node);
      }
    }
    return some.toArray(String[]::new);
  }

  private void settle(Map<String, Integer> wanted) {
    paths.silent = false;
    paths.refusing.clear();
    run(3 * CHECK + TTL);
    Set<String> needed = new LinkedHashSet<>();
    int covered = 0;
    int bare = 0;
    for (Map.Entry<String, Integer> entry : wanted.entrySet()) {
      List<String> path = paths.paths.getOrDefault(ip(entry.getKey()), List.of());
      if (entry.getValue() > 0 && path.isEmpty()) {
        bare++;
      } else if (entry.getValue() > 0) {
        covered++;
        needed.add(path.get(path.size() - 1));
      }
    }
    assertEquals(covered, state("COVERED"));
    assertEquals(bare, state("BARE"));
    assertEquals(0, state("WANTED") + state("PENDING"));
    Set<String> nodes = new LinkedHashSet<>();
    coverage.nodes().forEach(node -> nodes.add(node.id()));
    assertEquals(needed, nodes);
    assertEquals(needed, store.nodes.keySet());
    assertTrue(paths.running.containsAll(needed));
    for (Map.Entry<String, Integer> entry : wanted.entrySet()) {
      for (int i = 0; i < entry.getValue(); i++) {
        coverage.unwant(ip(entry.getKey()), now);
      }
    }
    run(60_000);
    assertEquals(List.of(), coverage.nodes());
    assertTrue(store.nodes.isEmpty() && store.addresses.isEmpty());
  }
}
