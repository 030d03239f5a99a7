// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.netserv.lab.testbed.LabPublisher.Bundle;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.tool.ServalClient;
import org.netserv.lab.testbed.tool.ServalServer;

/**
 * Two service routers of Serval in containers of two nodes, with their rules in the kernel. Clients
 * connect by name over both, and the instance answers directly. An instance that is killed is
 * routed around when its rule ends. A loop of the two routers is cut, and an unknown service is
 * refused by name.
 */
public final class ServalRouterRun implements Scenario {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String MODULE = "NetServ.apps.ServiceRouter";
  private static final String NODE = "node";
  private static final String FAR = "far";
  private static final String NEAR_ROUTER = "10.1.0.1";
  private static final String FAR_ROUTER = "10.2.0.2";
  private static final int PORT = 54325;
  private static final int INSTANCE_PORT = 7000;
  private static final String SERVER = "192.0.2.10";
  private static final String SECOND = "198.51.100.10";
  private static final String SHOP = "00004001";
  private static final String IN_A_LOOP = "51";
  private static final String UNKNOWN = "52";
  private static final int FLOWS = 40;

  /** SYNs that may go to the module, because a neighbour is not known yet. */
  private static final int FEW = 5;

  /** Milliseconds in which a client sends its SYN again at least twice. */
  private static final int TRIES_MILLIS = 15_000;

  private static final int ONE_TRY_MILLIS = 1000;

  private final ResultTable table = new ResultTable("when", "expected", "seen", "");
  private Stage stage;
  private Testbed testbed;
  private boolean holds = true;

  @Override
  public String topology() {
    return "serval-router";
  }

  @Override
  public boolean play(Stage theStage) throws IOException {
    stage = theStage;
    testbed = stage.testbed();
    ServalRouters.wholeChecksums(testbed);
    stage.step("SETUP of a service router on each node");
    Path jar = LabHome.dist().resolve("apps/service-router.jar");
    stage.deployServer(
        FAR,
        Stage.PUBLISHER,
        jar,
        Map.of(
            "routers",
            NEAR_ROUTER + ":" + PORT,
            "registrations",
            "0000",
            "registered-seconds",
            "3",
            "rules",
            IN_A_LOOP + "=" + NEAR_ROUTER + ":" + PORT));
    Bundle near =
        stage.deployServer(
            NODE,
            Stage.PUBLISHER,
            jar,
            Map.of(
                "routers", FAR_ROUTER + ":" + PORT,
                "rules", "default=" + FAR_ROUTER + ":" + PORT));
    stage.step("two instances register; clients connect by name");
    Tool first = instance("server", SERVER);
    Tool second = instance("second", SECOND);
    Wait.until("both instances", PATIENCE, () -> count(FAR, "RULE_OK") >= 2);
    Wait.until("the rules in both kernels", PATIENCE, () -> rules(NODE) >= 2 && rules(FAR) >= 3);
    long nearBefore = routed(NODE);
    long farBefore = routed(FAR);
    Map<String, Long> both = connect(SHOP, FLOWS, TRIES_MILLIS);
    expect("connected by two routers", FLOWS, both.get("connected"));
    expect("answered by the instance itself", FLOWS, both.get("direct"));
    expect("client, both routers, instance in the list", 4, both.get("hops"));
    long share = both.get("first");
    row("instances that answered", "both", share > 0 && share < FLOWS ? "both" : "one");
    byKernel("SYNs by the kernel of the near node", routed(NODE) - nearBefore);
    byKernel("SYNs by the kernel of the far node", routed(FAR) - farBefore);
    stage.step("an instance is killed");
    first.process().destroyForcibly();
    Map<String, Long> other = connect(SHOP, FLOWS, TRIES_MILLIS);
    expect("connected after a kill, from the first SYN on", FLOWS, other.get("connected"));
    expect("of these by the killed instance", 0, other.get("first"));
    stage.step("an unknown service, and a loop of the two routers");
    expect("connected to an unknown service", 0, one(UNKNOWN));
    expect("connected through a loop", 0, one(IN_A_LOOP));
    Wait.until("the loop's counter", PATIENCE, () -> count(FAR, "FORWARD_LOOP") > 0);
    row("refused by name at the far router", "NO_RULE, LOOP", refusals());
    stage.step("REMOVE of the router near the user");
    stage.remove(near);
    expect("connected without a router", 0, one(SHOP));
    second.process().destroyForcibly();
    stage.show(table);
    return holds;
  }

  private long rules(String node) throws IOException {
    return spawners(node, "serval-rules");
  }

  private long routed(String node) throws IOException {
    return spawners(node, "serval-routed");
  }

  private long spawners(String node, String counter) throws IOException {
    try (NodeClient client = testbed.client(node)) {
      return Stage.counter(client.counters(Stage.PUBLISHER), counter);
    }
  }

  /** Shows the share of SYNs that the module did not see, but for those before an ARP answer. */
  private void byKernel(String when, long count) {
    row(when, "most", count >= FLOWS - FEW ? "most" : count + " of " + FLOWS);
  }

  private Tool instance(String node, String address) throws IOException {
    return Tool.start(
            testbed,
            node,
            stage.unique("instance"),
            ServalServer.class,
            address,
            INSTANCE_PORT,
            FAR_ROUTER,
            PORT,
            SHOP)
        .await("ready");
  }

  private Map<String, Long> connect(String id, int flows, int millis) throws IOException {
    Tool client =
        Tool.start(
            testbed,
            "user",
            stage.unique("client"),
            ServalClient.class,
            "10.1.0.10",
            NEAR_ROUTER,
            PORT,
            id,
            flows,
            millis,
            SERVER);
    return client.result(60 + flows * millis / 1000);
  }

  private long one(String id) throws IOException {
    return connect(id, 1, ONE_TRY_MILLIS).get("connected");
  }

  private long count(String node, String counter) throws IOException {
    try (NodeClient client = testbed.client(node)) {
      return GainTraffic.module(client.counters(Stage.PUBLISHER), MODULE)
          .path("counts")
          .path(counter)
          .asLong();
    }
  }

  private String refusals() throws IOException {
    return (count(FAR, "FORWARD_NO_RULE") > 0 ? "NO_RULE, " : "")
        + (count(FAR, "FORWARD_LOOP") > 0 ? "LOOP" : "");
  }

  private void expect(String when, long expected, long seen) {
    row(when, Long.toString(expected), Long.toString(seen));
  }

  private void row(String when, String expected, String seen) {
    boolean right = expected.equals(seen);
    holds &= right;
    table.row(when, expected, seen, right ? "ok" : "WRONG");
  }
}
