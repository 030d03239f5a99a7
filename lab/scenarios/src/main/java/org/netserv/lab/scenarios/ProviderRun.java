// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.netserv.lab.testbed.LabPublisher;
import org.netserv.lab.testbed.LabPublisher.Bundle;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.ProviderDaemon;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.capture.PacketCounter;
import org.netserv.lab.testbed.traffic.SipUsers;

/**
 * Plays a SIP provider with a real Kamailio and {@code netserv provider} beside it. Agents register
 * and keep their bindings alive; the provider deploys the KeepAlive Responder once on each of two
 * edge nodes. The provider is killed, the path of one edge moves to the other, and the agents
 * leave.
 */
public final class ProviderRun implements Scenario {
  private static final int BEHIND_NAT = 50;
  private static final List<String> HOME =
      List.of("198.51.100.11", "198.51.100.12", "198.51.100.13", "198.51.100.14");
  private static final String OFFICE = "203.0.113.11";
  private static final int PERIOD = 1000;

  /** Seconds until the module on a node that left the path is gone. */
  private static final int TTL = 60;

  private static final Duration SOON = Duration.ofSeconds(60);
  private static final Duration QUIET = Duration.ofSeconds(5);

  private final boolean quick;
  private final ResultTable table = new ResultTable("step", "seen", "wanted", "");
  private boolean good = true;
  private Testbed testbed;
  private ProviderDaemon provider;
  private PacketCounter server;
  private final List<Process> users = new ArrayList<>();

  private ProviderRun(boolean quick) {
    this.quick = quick;
  }

  /** The whole scenario. */
  public static Scenario full() {
    return new ProviderRun(false);
  }

  /** The scenario without the wait for the end of a TTL and for agents that leave. */
  public static Scenario quick() {
    return new ProviderRun(true);
  }

  @Override
  public String topology() {
    return "provider";
  }

  @Override
  public boolean play(Stage stage) throws IOException {
    testbed = stage.testbed();
    server = PacketCounter.install(testbed, "server", "eth0", 5060);
    stage.step("start netserv provider on the server, and " + agents() + " agents");
    prepare(stage);
    try (ProviderDaemon daemon = provider) {
      daemon.start();
      begin();
      deployed(stage);
      killed(stage);
      moved(stage);
      if (!quick) {
        left(stage);
      }
    } finally {
      users.forEach(Process::destroy);
    }
    stage.show(table);
    return good;
  }

  private static int agents() {
    return BEHIND_NAT + HOME.size() + 1;
  }

  private void prepare(Stage stage) throws IOException {
    LabPublisher publisher = testbed.publisher(Stage.PUBLISHER);
    Bundle bundle = publisher.publish(LabHome.dist().resolve("apps/keepalive.jar"));
    List<String> known = List.of(nodeId("east"), nodeId("west"));
    provider = ProviderDaemon.prepare(testbed, "server", publisher, known);
    provider.section(
        """
        path: {check: 5, retry: 5, budget: 60}
        keepalive:
          module:
            bundle: %s
            url: http://%s/%s
            ttl: %d
            filter-port: "5060"
            filter-proto: udp
            properties: {pass-every: "0"}
        """
            .formatted(
                testbed.state().resolve("bundles").resolve(bundle.file()),
                stage.server(false).getHostAddress(),
                bundle.file(),
                TTL));
  }

  private String nodeId(String node) throws IOException {
    try (NodeClient client = testbed.client(node)) {
      return client.status().path("nodeId").asText();
    }
  }

  /** Starts the agents: many behind a NAT, and some with addresses of their own. */
  private void begin() throws IOException {
    String to = "192.0.2.10";
    int each = 100_000;
    users.add(
        new SipUsers(testbed, "user", "10.0.0.10", "nat", BEHIND_NAT, PERIOD)
            .start(to, each, false));
    for (String address : HOME) {
      String name = "home" + address.substring(address.lastIndexOf('.') + 1);
      users.add(new SipUsers(testbed, "home", address, name, 1, PERIOD).start(to, each, false));
    }
    users.add(new SipUsers(testbed, "office", OFFICE, "office", 1, PERIOD).start(to, each, false));
  }

  private void deployed(Stage stage) throws IOException {
    stage.step("the first keep-alives: one deployment for each edge node");
    int addresses = 1 + HOME.size() + 1;
    settle(() -> covered() == addresses);
    JsonNode status = provider.status();
    fact("agents known by their keep-alives", keepingAlive(status), agents());
    fact("addresses covered", covered(), addresses);
    fact("nodes that run the module", running(), 2);
    fact("SETUPs sent", counter(status, "setups"), 2);
    fact("addresses of east", addressesOf("east"), 1 + HOME.size());
    fact("addresses of west", addressesOf("west"), 1);
    quiet(stage, "keep-alives seen by the server in 5 s, deployed");
  }

  private void killed(Stage stage) throws IOException {
    stage.step("kill -9 of the provider, and another one");
    provider.kill();
    provider.start();
    settle(() -> counter(provider.status(), "refreshes") >= 2);
    JsonNode status = provider.status();
    fact("agents known after the restart", keepingAlive(status), agents());
    fact("addresses covered after the restart", covered(), 1 + HOME.size() + 1);
    fact("SETUPs to new nodes after the restart", counter(status, "setups"), 0);
    fact("installations on east, says its history", installations("east"), 1);
    quiet(stage, "keep-alives seen by the server in 5 s, after the restart");
  }

  private void moved(Stage stage) throws IOException {
    stage.step("the path to the addresses of east goes by west");
    testbed.run("core", "ip", "route", "replace", "198.51.100.0/24", "via", "10.0.2.2");
    testbed.run("west", "ip", "route", "replace", "198.51.100.0/24", "via", "10.0.3.2");
    testbed.run("home", "ip", "route", "replace", "default", "via", "10.0.3.1");
    settle(() -> addressesOf("west") == 1 + HOME.size() + 1);
    fact("addresses of west, after the path moved", addressesOf("west"), 1 + HOME.size() + 1);
    fact("paths moved", counter(provider.status(), "paths-moved"), 1 + HOME.size());
    quiet(stage, "keep-alives seen by the server in 5 s, after the path moved");
    if (!quick) {
      settle(() -> !runs("east"));
      fact("east runs the module when its TTL is over", runs("east"), false);
    }
  }

  private void left(Stage stage) throws IOException {
    stage.step("all agents end and unregister");
    users.forEach(Process::destroy);
    users.clear();
    int count = 0;
    for (String address : HOME) {
      String name = "home" + address.substring(address.lastIndexOf('.') + 1);
      leave("home", address, name, 1);
      count++;
    }
    fact("agents that unregistered", count, HOME.size());
    settle(() -> addressesOf("west") == 2);
    fact("addresses of west, after these left", addressesOf("west"), 2);
  }

  /** Unregisters from the same port, as an agent that goes would. */
  private void leave(String node, String address, String name, int agents) throws IOException {
    users.add(
        new SipUsers(testbed, node, address, name, agents, PERIOD).start("192.0.2.10", 1, true));
  }

  private void quiet(Stage stage, String what) throws IOException {
    settle(() -> delta(Duration.ofSeconds(2)) == 0);
    fact(what, delta(QUIET), 0);
    stage.out().println("  " + what);
  }

  private long delta(Duration time) throws IOException {
    long before = server.read();
    Wait.pause(time.toMillis());
    return server.read() - before;
  }

  private void settle(Wait.Condition condition) throws IOException {
    try {
      Wait.until("the provider", SOON, condition);
    } catch (IOException e) {
      // The facts that follow tell what is not as wanted.
      return;
    }
  }

  private long covered() throws IOException {
    return part().path("addresses").path("covered").asLong();
  }

  private JsonNode part() throws IOException {
    return provider.status().path("parts").path("keepalive");
  }

  private long running() throws IOException {
    long running = 0;
    for (JsonNode node : part().path("nodes")) {
      running += node.path("state").asText().equals("running") ? 1 : 0;
    }
    return running;
  }

  private long addressesOf(String node) throws IOException {
    String id = nodeId(node);
    for (JsonNode entry : part().path("nodes")) {
      if (entry.path("id").asText().equals(id)) {
        return entry.path("addresses").asLong();
      }
    }
    return 0;
  }

  private static long keepingAlive(JsonNode status) {
    JsonNode agents = status.path("agents");
    return agents.path("known").asLong() - agents.path("registered").asLong();
  }

  private static long counter(JsonNode status, String name) {
    return status.path("counters").path(name).asLong(-1);
  }

  /** Returns how often a node has begun to install the module. */
  private long installations(String node) throws IOException {
    long installations = 0;
    try (NodeClient client = testbed.client(node)) {
      for (JsonNode event : client.why(Stage.PUBLISHER, PathStage.MODULE).path("history")) {
        boolean refresh = event.path("reason").asText().startsWith("refreshed");
        boolean installing = event.path("state").asText().endsWith("installing");
        installations += installing && !refresh ? 1 : 0;
      }
    }
    return installations;
  }

  private boolean runs(String node) throws IOException {
    try (NodeClient client = testbed.client(node)) {
      String state = client.why(Stage.PUBLISHER, PathStage.MODULE).path("state").asText();
      return state.equals("running");
    } catch (IOException e) {
      return false;
    }
  }

  private void fact(String what, Object seen, Object wanted) {
    boolean holds = String.valueOf(seen).equals(String.valueOf(wanted));
    good &= holds;
    table.row(what, seen, wanted, holds ? "" : "no");
  }
}
