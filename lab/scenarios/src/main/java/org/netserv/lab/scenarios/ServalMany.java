// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.netserv.lab.testbed.LabPublisher.Bundle;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.NodeProcesses;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.VethCard;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.tool.ServalClient;
import org.netserv.lab.testbed.tool.ServalRegistrations;
import org.netserv.lab.testbed.tool.ServalServer;

/**
 * A service router with 100,000 rules of hosts, all of them in the kernel. Its rules come back
 * after a kill -9 of bpfd, and of the router's container, whose table begins anew with what hosts
 * register again. The end of the router leaves no rule in the kernel.
 */
public final class ServalMany implements Scenario {
  private static final Duration PATIENCE = Duration.ofSeconds(150);
  private static final String NODE = "node";
  private static final String ROUTER = "10.1.0.1";
  private static final String SERVER = "192.0.2.10";
  private static final int PORT = 54325;
  private static final int INSTANCE_PORT = 7000;
  private static final String SHOP = "00004001";
  private static final int OF_A_HOST = 50_000;
  private static final int MANY = 2 * OF_A_HOST;
  private static final int FLOWS = 20;

  /** SYNs that may go to the module, because a neighbour is not known yet. */
  private static final int FEW = 5;

  private static final int TRIES_MILLIS = 15_000;

  private final ComparedRows rows = new ComparedRows("after", "what");
  private Stage stage;
  private Testbed testbed;

  @Override
  public String topology() {
    return "serval-many";
  }

  @Override
  public boolean play(Stage theStage) throws IOException {
    stage = theStage;
    testbed = stage.testbed();
    for (String host : List.of("user", "server")) {
      VethCard.of(testbed, host).addsChecksums().takesRedirected();
    }
    stage.step("SETUP of a service router; two hosts register 50,000 services each");
    Bundle router =
        stage.deployServer(
            LabHome.dist().resolve("apps/service-router.jar"),
            Map.of(
                "registrations", "0000",
                "registered-seconds", "300",
                "rules-per-host", "60000",
                "rules-most", "150000"));
    host(SERVER, INSTANCE_PORT, ServalServer.class, SHOP);
    host(SERVER, 7001, ServalRegistrations.class, "0000aa", OF_A_HOST);
    host("192.0.2.11", 7001, ServalRegistrations.class, "0000bb", OF_A_HOST);
    recovered("the registrations");
    kill("bpfd");
    kill("container");
    stage.step("REMOVE of the router");
    stage.remove(router);
    Wait.until("the end of all rules", PATIENCE, () -> rules() == 0);
    rows.row("REMOVE", "rules in the kernel", 0, rules());
    stage.show(rows.table());
    return rows.hold();
  }

  private void host(String address, int port, Class<?> tool, Object... rest) throws IOException {
    Object[] all = new Object[rest.length + 4];
    all[0] = address;
    all[1] = port;
    all[2] = ROUTER;
    all[3] = PORT;
    System.arraycopy(rest, 0, all, 4, rest.length);
    Tool.start(testbed, "server", stage.unique("host"), tool, all).await("ready");
  }

  private void kill(String victim) throws IOException {
    stage.step("kill -9 " + victim);
    ProcessHandle process = NodeProcesses.of(testbed, NODE).handle(victim);
    process.destroyForcibly();
    Wait.until("its end", PATIENCE, () -> !process.isAlive());
    recovered("kill -9 " + victim);
  }

  /** Waits until the kernel has all rules, and connects by one of them. */
  private void recovered(String when) throws IOException {
    long begun = System.nanoTime();
    Wait.until("all rules in the kernel", PATIENCE, () -> rules() > MANY);
    stage.step(
        "all rules in the kernel %d s after %s"
            .formatted(Duration.ofNanos(System.nanoTime() - begun).toSeconds(), when));
    rows.row(when, "rules of hosts in the kernel", MANY + 1, rules());
    long before = counter("serval-routed");
    Map<String, Long> seen = connect();
    rows.row(when, "connected by the router", FLOWS, seen.get("connected"));
    boolean most = counter("serval-routed") - before >= FLOWS - FEW;
    rows.row(when, "SYNs by the kernel", "most", most ? "most" : "few");
  }

  private Map<String, Long> connect() throws IOException {
    Tool client =
        Tool.start(
            testbed,
            "user",
            stage.unique("client"),
            ServalClient.class,
            "10.1.0.10",
            ROUTER,
            PORT,
            SHOP,
            FLOWS,
            TRIES_MILLIS,
            SERVER);
    return client.result(60 + FLOWS * TRIES_MILLIS / 1000);
  }

  private long rules() throws IOException {
    return counter("serval-rules");
  }

  /** Returns a counter of bpfd, 0 while there is no container. */
  private long counter(String name) throws IOException {
    try (NodeClient client = testbed.client(NODE)) {
      return Stage.counter(client.counters(Stage.PUBLISHER), name);
    }
  }
}
