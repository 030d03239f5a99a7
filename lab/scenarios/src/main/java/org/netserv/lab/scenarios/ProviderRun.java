// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.netserv.lab.testbed.ProviderDaemon;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.capture.PacketCounter;
import org.netserv.lab.testbed.traffic.SipUsers;

/**
 * Plays a SIP provider with a real Kamailio and {@code netserv provider} beside it. Agents register
 * and keep their bindings alive; the provider deploys the KeepAlive Responder once on each of two
 * edge nodes. The provider is killed, a path moves from one edge to the other, and agents leave.
 */
public final class ProviderRun implements Scenario {
  private static final int BEHIND_NAT = 50;
  private static final List<String> STREET =
      List.of("198.51.101.11", "198.51.101.12", "198.51.101.13", "198.51.101.14");
  private static final String OFFICE = "203.0.113.11";
  private static final int PERIOD = 1000;

  /** TTL of the module in seconds. */
  private static final int TTL = 60;

  /** Longer than the TTL: a REMOVE cannot take the claim of a session that has left the path. */
  private static final Duration SOON = Duration.ofSeconds(90);

  private static final Duration QUIET = Duration.ofSeconds(5);
  private static final int TRIALS = 5; // a busy node lets a batch of packets pass now and then

  private final boolean quick;
  private final ResultTable table = new ResultTable("step", "seen", "wanted", "");
  private boolean good = true;
  private Testbed testbed;
  private ProviderStage provider;
  private PacketCounter server;
  private final List<Process> users = new ArrayList<>();
  private final List<Process> street = new ArrayList<>();

  private ProviderRun(boolean quick) {
    this.quick = quick;
  }

  /** The whole scenario. */
  public static Scenario full() {
    return new ProviderRun(false);
  }

  /** The scenario without agents that leave. */
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
    provider = ProviderStage.prepare(testbed, TTL);
    try (ProviderDaemon daemon = provider.daemon()) {
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
    return BEHIND_NAT + STREET.size() + 1;
  }

  /** Starts the agents: many behind a NAT, and some with addresses of their own. */
  private void begin() throws IOException {
    String to = ProviderStage.SERVER;
    int each = 100_000;
    users.add(
        new SipUsers(testbed, "user", "10.0.0.10", "nat", BEHIND_NAT, PERIOD)
            .start(to, each, false));
    for (String address : STREET) {
      Process agent =
          new SipUsers(testbed, "street", address, streetName(address), 1, PERIOD)
              .start(to, each, false);
      street.add(agent);
      users.add(agent);
    }
    users.add(new SipUsers(testbed, "office", OFFICE, "office", 1, PERIOD).start(to, each, false));
  }

  private void deployed(Stage stage) throws IOException {
    stage.step("the first keep-alives: one deployment for each edge node");
    int addresses = 1 + STREET.size() + 1;
    settle(() -> provider.covered() == addresses);
    fact("agents known by their keep-alives", provider.keepingAlive(), agents());
    fact("addresses covered", provider.covered(), addresses);
    fact("nodes that run the module", provider.running(), 2);
    fact("SETUPs sent", provider.counter("setups"), 2);
    fact("addresses of east", provider.addressesOf("east"), 1 + STREET.size());
    fact("addresses of west", provider.addressesOf("west"), 1);
    quiet(stage, "keep-alives seen by the server in 5 s, deployed");
  }

  private void killed(Stage stage) throws IOException {
    stage.step("kill -9 of the provider, and another one");
    provider.daemon().kill();
    provider.daemon().start();
    settle(() -> provider.counter("refreshes") >= 2);
    fact("agents known after the restart", provider.keepingAlive(), agents());
    fact("addresses covered after the restart", provider.covered(), 1 + STREET.size() + 1);
    fact("SETUPs to new nodes after the restart", provider.counter("setups"), 0);
    fact("installations on east, says its history", provider.installations("east"), 1);
    quiet(stage, "keep-alives seen by the server in 5 s, after the restart");
  }

  private void moved(Stage stage) throws IOException {
    stage.step("the path to the NAT goes by west instead of east");
    testbed.run("core", "ip", "route", "replace", "198.51.100.0/24", "via", "10.0.2.2");
    testbed.run("west", "ip", "route", "replace", "198.51.100.0/24", "via", "10.0.3.2");
    testbed.run("home", "ip", "route", "replace", "default", "via", "10.0.3.1");
    settle(() -> provider.addressesOf("west") == 2);
    fact("addresses of west, after the path moved", provider.addressesOf("west"), 2);
    fact("addresses of east, after the path moved", provider.addressesOf("east"), STREET.size());
    fact("paths moved", provider.counter("paths-moved"), 1);
    quiet(stage, "keep-alives seen by the server in 5 s, after the path moved");
  }

  private void left(Stage stage) throws IOException {
    stage.step("the agents of the street unregister");
    fact("east runs the module while they are there", provider.runs("east"), true);
    street.forEach(Process::destroy);
    for (String address : STREET) {
      leave("street", address, streetName(address), 1);
    }
    settle(() -> !provider.runs("east"));
    fact("east runs the module when they have left", provider.runs("east"), false);
    // A session whose path has moved may get a REMOVE, too, which does not find the node.
    long answered = provider.counter("removes") - provider.counter("removes-lost");
    fact("REMOVEs answered", answered, 1);
    fact("west runs the module", provider.runs("west"), true);
  }

  private static String streetName(String address) {
    return "street" + address.substring(address.lastIndexOf('.') + 1);
  }

  /** Unregisters from the same port, as an agent that goes would. */
  private void leave(String node, String address, String name, int agents) throws IOException {
    users.add(
        new SipUsers(testbed, node, address, name, agents, PERIOD)
            .start(ProviderStage.SERVER, 1, true));
  }

  private void quiet(Stage stage, String what) throws IOException {
    settle(() -> delta(Duration.ofSeconds(2)) == 0);
    long seen = delta(QUIET);
    for (int i = 1; i < TRIALS && seen != 0; i++) {
      seen = delta(QUIET);
    }
    fact(what, seen, 0);
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

  private void fact(String what, Object seen, Object wanted) {
    boolean holds = String.valueOf(seen).equals(String.valueOf(wanted));
    good &= holds;
    table.row(what, seen, wanted, holds ? "" : "no");
  }
}
