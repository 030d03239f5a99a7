// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.netserv.lab.testbed.LabPublisher.Bundle;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.tool.ServalFetch;
import org.netserv.lab.testbed.tool.ServalSource;

/**
 * Two service routers that learn services from each other by each feeder, and by two together. The
 * instance registers at the far one, and the client asks the near one. Each stream is compared with
 * the bytes of the instance, and each withdrawal has to be seen. At last a host with sald signs its
 * registrations.
 */
public final class ServalControllersRun implements Scenario {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  static final String MODULE = "NetServ.apps.ServiceRouter";
  private static final String NODE = "node";
  private static final String FAR = "far";
  private static final String NEAR_ROUTER = "10.1.0.1:54325";
  private static final String FAR_ROUTER = "10.2.0.2:54325";
  private static final String SHOP = "00004001";
  private static final String BANK = "00005001";
  private static final int BYTES = 200_000;
  private static final int FETCH_MILLIS = 20_000;
  private static final int MISS_MILLIS = 1500;

  private final ResultTable table = new ResultTable("feeder", "when", "expected", "seen", "");
  private final boolean quick;
  private Stage stage;
  private Testbed testbed;
  private Bundle bundle;
  private int port = 7000;
  private boolean holds = true;

  private ServalControllersRun(boolean quick) {
    this.quick = quick;
  }

  /** Returns the scenario with all feeders. */
  public static ServalControllersRun full() {
    return new ServalControllersRun(false);
  }

  /** Returns the scenario with the feeders that need no other program. */
  public static ServalControllersRun quick() {
    return new ServalControllersRun(true);
  }

  @Override
  public String topology() {
    return "serval-controllers";
  }

  @Override
  public boolean play(Stage theStage) throws IOException {
    stage = theStage;
    testbed = stage.testbed();
    bundle =
        testbed
            .publisher(Stage.PUBLISHER)
            .publish(LabHome.dist().resolve("apps/service-router.jar"));
    several();
    parents();
    flood();
    if (!quick) {
      ServalStores stores = new ServalStores(stage);
      dns(stores);
      parentsAndDns();
      etcd(stores);
      etcdByTls(stores);
      etcdAndFlood(stores);
    }
    signed();
    stage.show(table);
    return holds;
  }

  // ---- feeders

  /** One endpoint at two routers, and a client of both. */
  private void several() throws IOException {
    stage.step("one endpoint registers with two routers");
    far("registrations", "0000", "routers", NEAR_ROUTER);
    near("registrations", "0000", "routers", FAR_ROUTER);
    Tool instance = instance(SHOP, 1, FAR_ROUTER, NEAR_ROUTER);
    fetched("several routers", "by the near router", SHOP, 1, NEAR_ROUTER);
    fetched("several routers", "by the far router", SHOP, 1, FAR_ROUTER);
    fetched("several routers", "by either", SHOP, 1, FAR_ROUTER, NEAR_ROUTER);
    end(instance);
    Wait.until("both withdrawals", PATIENCE, () -> withdrawn(FAR) * withdrawn(NODE) > 0);
    missed("several routers", SHOP);
  }

  /** Unmodified nginx behind sald at a router that takes only signed registrations. */
  private void signed() throws IOException {
    stage.step("a host with sald signs its registrations");
    SignedHosts hosts =
        new SignedHosts(stage, FAR_ROUTER, this::row, counter -> count(FAR, counter));
    far(
        "signed-registrations",
        "0000",
        "owners",
        hosts.owners(),
        "routers",
        NEAR_ROUTER,
        "registered-seconds",
        Integer.toString(SignedHosts.FORGETS));
    near("routers", FAR_ROUTER, "rules", "default=" + FAR_ROUTER);
    hosts.play(NEAR_ROUTER);
  }

  private void parents() throws IOException {
    stage.step("the far router registers at the near one, aggregated");
    far("registrations", "0000", "parents", NEAR_ROUTER, "aggregates", "00004/20");
    near("registrations", "0000", "routers", FAR_ROUTER);
    learns("parents");
  }

  private void flood() throws IOException {
    stage.step("the routers flood");
    far("registrations", "0000", "neighbours", NEAR_ROUTER);
    near("neighbours", FAR_ROUTER);
    learns("flooding");
  }

  private void dns(ServalStores stores) throws IOException {
    stage.step("the far router publishes in the DNS, the near one looks up");
    stores.bind(BANK + "=10.2.0.2:54325");
    far(with(stores.update(), "registrations", "0000", "routers", NEAR_ROUTER));
    near(with(stores.lookups(), "routers", FAR_ROUTER, "lookups", "0000"));
    learns("dns, SVCB");
    far(
        with(
            stores.update(),
            "registrations",
            "0000",
            "routers",
            NEAR_ROUTER,
            "dns-records",
            "txt"));
    near(with(stores.lookups(), "routers", FAR_ROUTER, "lookups", "0000", "dns-records", "txt"));
    learns("dns, TXT");
  }

  /** One service by a registration at the parent, and one by a record that somebody has written. */
  private void parentsAndDns() throws IOException {
    stage.step("parents and DNS together");
    ServalStores stores = new ServalStores(stage);
    far("registrations", "0000", "parents", NEAR_ROUTER, "announce", "00004");
    near(with(stores.lookups(), "registrations", "0000", "routers", FAR_ROUTER, "lookups", "0000"));
    Tool shop = instance(SHOP, 1, FAR_ROUTER);
    Tool bank = instance(BANK, 2, FAR_ROUTER);
    fetched("parents and DNS", "announced", SHOP, 1, NEAR_ROUTER);
    fetched("parents and DNS", "in the zone", BANK, 2, NEAR_ROUTER);
    end(shop);
    missed("parents and DNS", SHOP);
    fetched("parents and DNS", "in the zone still", BANK, 2, NEAR_ROUTER);
    end(bank);
  }

  /** A withdrawal, a router that is killed, and an etcd that is killed. */
  private void etcd(ServalStores stores) throws IOException {
    stage.step("the routers share a store in etcd");
    Tool etcd = stores.etcd();
    far(with(stores.store(), "registrations", "0000", "routers", NEAR_ROUTER));
    near(with(stores.store(), "routers", FAR_ROUTER));
    learns("etcd");
    Tool instance = instance(SHOP, 1, FAR_ROUTER);
    fetched("etcd", "registered again", SHOP, 1, NEAR_ROUTER);
    etcd.process().destroyForcibly();
    missed("etcd is killed", SHOP);
    Tool again = stores.etcd();
    fetched("etcd", "a new one with nothing in it", SHOP, 1, NEAR_ROUTER);
    end(instance);
    missed("etcd", SHOP);
    again.process().destroyForcibly();
  }

  /** Two routers with keys of the store's authority, and one with a key of another authority. */
  private void etcdByTls(ServalStores stores) throws IOException {
    stage.step("the routers share a store in etcd, by TLS");
    StoreKeys keys = stores.keys("store-keys");
    StoreKeys others = stores.keys("other-keys");
    Tool etcd = stores.etcd(keys);
    Map<String, String> good = with(stores.store(), keys.properties(ServalStores.ROUTER, keys));
    far(with(good, "registrations", "0000", "routers", NEAR_ROUTER));
    near(with(good, "routers", FAR_ROUTER));
    learns("etcd by TLS");
    near(
        with(
            with(stores.store(), others.properties(ServalStores.ROUTER, keys)),
            "routers",
            FAR_ROUTER));
    Tool instance = instance(SHOP, 1, FAR_ROUTER);
    Wait.until("a refusal of the store", PATIENCE, () -> count(NODE, "STORE_LOST") > 0);
    missed("etcd by TLS, another authority's key", SHOP);
    near(with(good, "routers", FAR_ROUTER));
    fetched("etcd by TLS", "with the right key again", SHOP, 1, NEAR_ROUTER);
    end(instance);
    etcd.process().destroyForcibly();
  }

  /** When the store is gone, its rules end, and those of the flooding count. */
  private void etcdAndFlood(ServalStores stores) throws IOException {
    stage.step("etcd and flooding together");
    Tool etcd = stores.etcd();
    far(with(stores.store(), "registrations", "0000", "neighbours", NEAR_ROUTER));
    near(with(stores.store(), "neighbours", FAR_ROUTER));
    Tool instance = instance(SHOP, 1, FAR_ROUTER);
    fetched("etcd and flooding", "with both", SHOP, 1, NEAR_ROUTER);
    long lost = count(NODE, "STORE_LOST");
    etcd.process().destroyForcibly();
    Wait.until("the store to be missed", PATIENCE, () -> count(NODE, "STORE_LOST") > lost);
    fetched("etcd and flooding", "without etcd", SHOP, 1, NEAR_ROUTER);
    end(instance);
    missed("etcd and flooding", SHOP);
  }

  /** An instance of the far router is found by the near one, until it withdraws. */
  private void learns(String feeder) throws IOException {
    Tool instance = instance(SHOP, 1, FAR_ROUTER);
    fetched(feeder, "by the near router", SHOP, 1, NEAR_ROUTER);
    end(instance);
    missed(feeder, SHOP);
  }

  // ---- steps

  private void far(String... properties) throws IOException {
    deploy(FAR, map(properties));
  }

  private void far(Map<String, String> properties) throws IOException {
    deploy(FAR, properties);
  }

  private void near(String... properties) throws IOException {
    deploy(NODE, map(properties));
  }

  private void near(Map<String, String> properties) throws IOException {
    deploy(NODE, properties);
  }

  private static Map<String, String> map(String... properties) {
    return with(Map.of(), properties);
  }

  private static Map<String, String> with(Map<String, String> some, Map<String, String> more) {
    Map<String, String> all = new HashMap<>(some);
    all.putAll(more);
    return all;
  }

  private static Map<String, String> with(Map<String, String> some, String... more) {
    Map<String, String> all = new HashMap<>(some);
    for (int i = 0; i < more.length; i += 2) {
      all.put(more[i], more[i + 1]);
    }
    return all;
  }

  private void deploy(String node, Map<String, String> properties) throws IOException {
    stage.serve(node, bundle, properties);
  }

  /** Starts an instance, and waits until its routers know it. */
  private Tool instance(String id, long seed, String... routers) throws IOException {
    List<Object> arguments = new ArrayList<>(List.of("192.0.2.10", port++, id, BYTES, seed));
    arguments.addAll(Arrays.asList(routers));
    Map<String, Long> before = new HashMap<>();
    for (String router : routers) {
      String node = router.equals(FAR_ROUTER) ? FAR : NODE;
      before.put(node, count(node, "RULE_OK"));
    }
    Tool made =
        Tool.start(
                testbed, "server", stage.unique("source"), ServalSource.class, arguments.toArray())
            .await("ready");
    for (Map.Entry<String, Long> each : before.entrySet()) {
      Wait.until(
          "a registration", PATIENCE, () -> count(each.getKey(), "RULE_OK") > each.getValue());
    }
    return made;
  }

  /** Terminates an instance, which withdraws. */
  private static void end(Tool instance) throws IOException {
    instance.process().destroy();
    Wait.until("the end of an instance", PATIENCE, () -> !instance.running());
  }

  private long withdrawn(String node) throws IOException {
    return count(node, "REGISTRATION_WITHDRAWN");
  }

  private long count(String node, String counter) throws IOException {
    try (NodeClient client = testbed.client(node)) {
      return GainTraffic.module(client.counters(Stage.PUBLISHER), MODULE)
          .path("counts")
          .path(counter)
          .asLong();
    }
  }

  private Map<String, Long> fetch(String id, long seed, int millis, String... routers)
      throws IOException {
    List<Object> arguments = new ArrayList<>(List.of("10.1.0.10", id, millis, BYTES, seed));
    arguments.addAll(Arrays.asList(routers));
    Tool client =
        Tool.start(testbed, "user", stage.unique("fetch"), ServalFetch.class, arguments.toArray());
    return client.result(60);
  }

  private void fetched(String feeder, String when, String id, long seed, String... routers)
      throws IOException {
    Map<String, Long> seen = fetch(id, seed, FETCH_MILLIS, routers);
    row(feeder, when + ", bytes", BYTES, seen.get("bytes"));
    row(feeder, when + ", digest", 1, seen.get("right"));
  }

  /** Waits until the near router knows the service no more. */
  private void missed(String feeder, String id) throws IOException {
    long[] seen = {1};
    Wait.until(
        "the withdrawal, " + feeder,
        PATIENCE,
        () -> {
          seen[0] = fetch(id, 1, MISS_MILLIS, NEAR_ROUTER).get("connected");
          return seen[0] == 0;
        });
    row(feeder, "connected when it is withdrawn", 0, seen[0]);
  }

  private void row(String feeder, String when, long expected, long seen) {
    boolean right = expected == seen;
    holds &= right;
    table.row(feeder, when, Long.toString(expected), Long.toString(seen), right ? "ok" : "WRONG");
  }
}
