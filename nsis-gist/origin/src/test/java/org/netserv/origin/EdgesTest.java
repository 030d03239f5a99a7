// SPDX-License-Identifier: Apache-2.0
package org.netserv.origin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.netserv.origin.FakePaths.ip;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.netserv.coverage.Coverage;
import org.netserv.coverage.count.Counters;
import org.netserv.coverage.count.PathCounter;
import org.netserv.coverage.path.PathBudget;
import org.netserv.coverage.store.StateFile;
import org.netserv.origin.count.OriginCounter;
import org.netserv.origin.health.HealthPort;
import org.netserv.origin.place.Place;
import org.netserv.origin.route.Decision;
import org.netserv.origin.route.Director;
import org.netserv.origin.settings.OriginConfig;
import org.netserv.origin.users.Grouping;
import org.netserv.origin.users.UserStore;
import org.netserv.origin.users.Users;
import org.netserv.origin.users.Visits;

/** From the first visit to the REMOVE, without a network and in virtual time. */
class EdgesTest {
  private static final long TTL = 600_000;
  private static final long CHECK = 60_000;
  private static final long IDLE = 300_000;
  private static final Grouping GROUPING = new Grouping(24, 48);
  private static final Place BERLIN = new Place(52.52, 13.405);

  @TempDir Path directory;
  private final FakePaths paths = new FakePaths();
  private final Set<String> dead = new HashSet<>();
  private final Deque<Runnable> checks = new ArrayDeque<>();
  private final Map<InetAddress, Place> places = new HashMap<>();
  private final Counters counters = new Counters(OriginCounter.values());
  private long now = 1_000_000;
  private StateFile store;
  private Coverage coverage;
  private Users users;
  private Edges edges;
  private Visits visits;
  private Director director;

  @BeforeEach
  void start() throws IOException {
    start(directory.resolve("state.mv"));
  }

  private void start(Path state) throws IOException {
    store = new StateFile(state, counters);
    coverage =
        new Coverage(
            paths,
            new PathBudget(4, 60_000, now),
            store.coverage("content"),
            new Coverage.Settings(TTL, CHECK, CHECK, 3),
            counters,
            new Random(1),
            (address, time) -> edges.changed());
    users = new Users(GROUPING, coverage, new UserStore(store), IDLE, counters);
    OriginConfig.Edges settings = new OriginConfig.Edges("http://{address}", 100, null, 5);
    edges = new Edges(settings, coverage, users, places::get, this::check, counters);
    visits = new Visits(100, counters);
    director = new Director(GROUPING, places::get, 100, visits, counters);
    coverage.restore(now);
    users.restore(now);
    coverage.settle(now);
  }

  @AfterEach
  void close() {
    store.close();
  }

  private void check(String url, HealthPort.Listener listener) {
    boolean answers = !dead.contains(url);
    checks.add(
        () -> listener.checked(answers ? HealthPort.Outcome.ANSWERED : HealthPort.Outcome.REFUSED));
  }

  private void run(long millis) {
    for (long end = now + millis; now < end; now += 100) {
      visits.take((prefix, user) -> users.came(prefix, user, now), id -> users.keep(id, now));
      users.expire(now);
      coverage.turn(now);
      edges.turn(now).ifPresent(director::use);
      paths.deliver();
      while (!checks.isEmpty()) {
        checks.poll().run();
      }
    }
    store.commit();
  }

  private String visit(String user) {
    Decision decision = director.decide(ip(user));
    return decision.edge() == null ? "here" : decision.edge().base();
  }

  @Test
  void theFirstUserIsServedHereAndTheNextOnesAtTheEdge() {
    paths.path("198.51.100.1", "a", "b");
    assertEquals("here", visit("198.51.100.1"));
    for (int i = 2; i < 50; i++) {
      assertEquals("here", visit("198.51.100." + i), "until the edge answers");
    }
    run(2_000);
    assertEquals("http://10.0.0.2", visit("198.51.100.1"), "the node nearest to the user");
    assertEquals("http://10.0.0.2", visit("198.51.100.77"));
    assertEquals(1, paths.count("setup"), "one SETUP for the prefix");
    assertEquals(1, paths.count("probe"));
  }

  @Test
  void aUserNearAnEdgeIsSentThereWithoutASetup() {
    paths.path("198.51.100.1", "a");
    places.put(ip("10.0.0.1"), BERLIN);
    places.put(ip("203.0.113.9"), BERLIN);
    visit("198.51.100.1");
    run(2_000);
    assertEquals("http://10.0.0.1", visit("203.0.113.9"));
    run(2_000);
    assertEquals(0, paths.count("probe 203.0.113.9"));
    for (int i = 0; i < 20; i++) {
      run(IDLE / 10);
      assertEquals("http://10.0.0.1", visit("203.0.113.9"), "its users keep the module there");
    }
    assertEquals(0, paths.count("remove"));
  }

  @Test
  void nobodyIsSentToAnEdgeThatVanishedAndTheNextOnThePathTakesOver() {
    paths.path("198.51.100.1", "a", "b");
    visit("198.51.100.1");
    run(2_000);
    assertEquals("http://10.0.0.2", visit("198.51.100.1"));
    dead.add("http://10.0.0.2/");
    paths.path("198.51.100.1", "a");
    run(5_200);
    assertEquals("http://10.0.0.1", visit("198.51.100.1"), "within an interval of checks");
    assertEquals(1, paths.count("setup a"));
    assertEquals(1, counters.get(OriginCounter.EDGES_DOWN));
    paths.path("198.51.100.1");
    dead.add("http://10.0.0.1/");
    run(5_200);
    assertEquals("here", visit("198.51.100.1"));
  }

  @Test
  void theModuleIsRefreshedWhileUsersComeAndRemovedWhenTheyDoNot() {
    paths.path("198.51.100.1", "a");
    for (int i = 0; i < 30; i++) {
      visit("198.51.100.1");
      run(IDLE / 5);
    }
    long refreshes = counters.get(PathCounter.REFRESHES);
    assertTrue(refreshes >= 4, refreshes + " refreshes in " + 30 * IDLE / 5 / TTL + " TTLs");
    assertEquals(0, paths.count("remove"));
    run(IDLE + 10_000);
    assertEquals(1, paths.count("remove a 198.51.100.1"));
    assertEquals(1, counters.get(OriginCounter.PREFIXES_IDLE));
    assertEquals(0, edges.prefixes());
    assertEquals("here", visit("198.51.100.1"));
  }

  @Test
  void thereIsRoomForSoManyPrefixes() {
    for (int i = 1; i <= 5; i++) {
      paths.path("198.51." + i + ".1", "a");
      visit("198.51." + i + ".1");
      visit("198.51." + i + ".2");
    }
    run(2_000);
    assertEquals(3, edges.prefixes());
    assertEquals(2, counters.get(PathCounter.ADDRESSES_FULL));
    assertEquals(3, paths.count("probe"));
    assertEquals(1, paths.count("setup"), "one for the node");
  }

  /** A copy of the state while the process runs is what a kill -9 leaves. */
  @Test
  void afterAKillTheUsersGoOnWithoutANewSetup() throws IOException {
    paths.path("198.51.100.1", "a");
    visit("198.51.100.1");
    run(2_000);
    Path left = Files.copy(directory.resolve("state.mv"), directory.resolve("left.mv"));
    store.close();
    start(left);
    run(1_000);
    assertEquals("http://10.0.0.1", visit("198.51.100.9"));
    run(2_000);
    assertEquals(1, edges.prefixes());
    assertEquals(1, counters.get(PathCounter.SETUPS));
    assertTrue(counters.get(PathCounter.REFRESHES) >= 1);
  }
}
