// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.netserv.lab.testbed.LabPublisher.Bundle;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Sha256;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.capture.Capture;
import org.netserv.lab.testbed.capture.SalFrames;
import org.netserv.lab.testbed.tool.ServalFetch;
import org.netserv.lab.testbed.tool.ServalSource;

/**
 * A client behind a NAT downloads by name: from an instance that it asks itself, and by one and two
 * service routers. A NAT that lets in answers of the address and port asked alone, and has a port
 * for each of them, stops the direct SYN-ACK of an instance. Then it comes by the routers. Routers
 * that may not take it back show that nothing else helps.
 */
public final class ServalNat implements Scenario {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String MODULE = "NetServ.apps.ServiceRouter";
  private static final String USER = "user";
  private static final String NAT = "nat";
  private static final String NODE = "node";
  private static final String FAR = "far";
  private static final String SERVER = "192.0.2.10";
  private static final String CLIENT = "10.9.0.10";
  private static final String NEAR_ROUTER = "198.51.100.1";
  private static final String FAR_ROUTER = "10.2.0.2";
  private static final String ID = "00004001";
  private static final String JAVA_ID = "00004002";
  private static final int PORT = 54325;
  private static final int JAVA_PORT = 6000;
  private static final int SEED = 7;
  private static final String INSTANCE = "c000020a:" + PORT;
  private static final int BYTES = 2_000_000;

  /** Milliseconds of a Java client. Its second SYN leaves after 3 s. */
  private static final int FETCH_MILLIS = 8_000;

  /** Exit status of curl when its time is over. */
  private static final int NOT_ANSWERED = 28;

  private static final String RULES =
      "flush ruleset; add table ip nat;"
          + " add chain ip nat post { type nat hook postrouting priority 100; };"
          + " add rule ip nat post oifname wan masquerade%s;"
          + " add chain ip nat in { type filter hook input priority 0; };"
          + " add rule ip nat in iifname wan ip saddr "
          + SERVER
          + " counter";

  private static final String MASQUERADE = RULES.formatted("");

  /** Another port for each destination. */
  private static final String RANDOM = RULES.formatted(" random");

  private static final String FULL_CONE =
      MASQUERADE
          + "; add chain ip nat pre { type nat hook prerouting priority -100; };"
          + " add rule ip nat pre iifname wan udp dport "
          + PORT
          + " dnat to "
          + CLIENT;

  private final ResultTable table = new ResultTable("when", "expected", "seen", "");
  private Stage stage;
  private Testbed testbed;
  private Bundle bundle;
  private ServalNode user;
  private String digest;
  private boolean holds = true;

  @Override
  public String topology() {
    return "serval-nat";
  }

  @Override
  public boolean play(Stage theStage) throws IOException {
    stage = theStage;
    testbed = stage.testbed();
    stage.step("SETUP of two service routers, instances that register, a client behind a NAT");
    Path jar = LabHome.dist().resolve("apps/service-router.jar");
    bundle = testbed.publisher(Stage.PUBLISHER).publish(jar);
    deploy("on");
    digest = Payload.write(testbed, BYTES);
    ServalNode server = ServalNode.up(testbed, "server", "eth0");
    server.order("register id=" + ID + " port=80");
    server.order("router address=" + FAR_ROUTER);
    Tool.start(
            testbed,
            "server",
            stage.unique("source"),
            ServalSource.class,
            SERVER,
            JAVA_PORT,
            JAVA_ID,
            BYTES,
            SEED,
            FAR_ROUTER + ":" + PORT)
        .await("ready");
    Wait.until("the registrations", PATIENCE, () -> count(FAR, "RULE_OK") > 1);
    user = ServalNode.up(testbed, USER, "eth0");
    user.order("name name=web.serval id=" + ID);

    stage.step("a rule to the instance; the NAT lets in answers of the address asked");
    nat(MASQUERADE);
    user.order("forward id=" + ID + " to=" + SERVER);
    answered("asked directly", 0);

    stage.step("by the router; the NAT lets in all answers to a port");
    nat(FULL_CONE);
    askAt(FAR_ROUTER);
    answered("by the router, NAT open to all", 3);
    behind();
    without();
    stage.show(table);
    return holds;
  }

  /** Deploys both routers. The near one sends all to the far one. */
  private void deploy(String returns) throws IOException {
    String near = NEAR_ROUTER + ":" + PORT;
    String far = FAR_ROUTER + ":" + PORT;
    stage.serve(FAR, bundle, Map.of("registrations", "0000", "routers", near, "returns", returns));
    stage.serve(
        NODE, bundle, Map.of("rules", "default=" + far, "routers", far, "returns", returns));
  }

  private void nat(String rules) throws IOException {
    testbed.run(NAT, "nft", rules);
    testbed.run(NAT, "conntrack", "-F");
  }

  private void askAt(String router) throws IOException {
    user.order("unforward id=" + ID);
    user.order("forward id=" + ID + " to=" + router);
  }

  /** Connects by one and two routers through a NAT that filters. */
  private void behind() throws IOException {
    stage.step("the NAT filters by address and port, and has a port for each");
    nat(RANDOM);
    askAt(FAR_ROUTER);
    downloads("by the router");
    row("by the router: SYN-ACKs stopped at the NAT", "some", stopped() ? "some" : "none");
    nat(RANDOM);
    downloads("by the router, again");
    askAt(NEAR_ROUTER);
    downloads("by two routers");
    for (String node : List.of(NODE, FAR)) {
      Wait.until("a SYN-ACK that " + node + " has taken back", PATIENCE, () -> returned(node));
    }
    fetches("Java, by the router", FAR_ROUTER, 1);
    fetches("Java, by two routers", NEAR_ROUTER, 1);
  }

  /** Shows that nobody connects if the routers take no SYN-ACK back. */
  private void without() throws IOException {
    stage.step("the same NAT; the routers take no SYN-ACK back");
    deploy("off");
    Wait.until("the registrations", PATIENCE, () -> count(FAR, "RULE_OK") > 1);
    nat(RANDOM);
    for (String router : List.of(FAR_ROUTER, NEAR_ROUTER)) {
      askAt(router);
      row("off, by " + router + ": status", NOT_ANSWERED, curl());
      fetches("off, Java, by " + router, router, 0);
    }
    row("off: SYN-ACKs stopped at the NAT", "some", stopped() ? "some" : "none");
  }

  private void downloads(String when) throws IOException {
    Files.deleteIfExists(testbed.state().resolve("got"));
    row(when + ": status", 0, curl());
    row(when + ": digest", digest, Sha256.of(testbed.state().resolve("got")));
  }

  /** Has a Java client read from the Java instance. */
  private void fetches(String when, String router, long expected) throws IOException {
    Tool client =
        Tool.start(
            testbed,
            USER,
            stage.unique("fetch"),
            ServalFetch.class,
            CLIENT,
            JAVA_ID,
            FETCH_MILLIS,
            BYTES,
            SEED,
            router + ":" + PORT);
    Map<String, Long> seen = client.result(30);
    row(when + ": connected", expected, seen.get("connected"));
    row(when + ": digest is right", expected, seen.get("right"));
  }

  private boolean returned(String node) throws IOException {
    return count(node, "RETURN_BACK") > 0;
  }

  private long count(String node, String counter) throws IOException {
    try (NodeClient client = testbed.client(node)) {
      return GainTraffic.module(client.counters(Stage.PUBLISHER), MODULE)
          .path("counts")
          .path(counter)
          .asLong();
    }
  }

  /** Downloads, and reads the packets at the client. */
  private void answered(String when, int hops) throws IOException {
    Capture capture =
        Capture.start(
            testbed,
            USER,
            "eth0",
            testbed.unique("nat"),
            "udp port " + PORT + " and udp[4:2] < 400");
    row(when + ": status", 0, curl());
    row(when + ": digest", digest, Sha256.of(testbed.state().resolve("got")));
    SalFrames seen = SalFrames.read(capture.frames(), INSTANCE);
    row(when + ": SYN-ACKs from the instance itself", 1, seen.answers());
    row(when + ": hops in its list", hops, seen.hops());
  }

  /** Runs curl, and returns its exit status. */
  private int curl() throws IOException {
    String command =
        "curl -sS -m 8 -o %s http://web.serval/file; echo status=$?"
            .formatted(testbed.state().resolve("got"));
    Tool tool = Tool.start(testbed, USER, stage.unique("curl"), user.byName(command));
    return tool.result(20).get("status").intValue();
  }

  private boolean stopped() throws IOException {
    String rules = testbed.run(NAT, "nft", "list", "chain", "ip", "nat", "in");
    return Pattern.compile("counter packets [1-9]").matcher(rules).find();
  }

  private void row(String when, long expected, long seen) {
    row(when, Long.toString(expected), Long.toString(seen));
  }

  private void row(String when, String expected, String seen) {
    boolean right = expected.equals(seen);
    holds &= right;
    table.row(when, shown(expected), shown(seen), right ? "ok" : "WRONG");
  }

  private static String shown(String text) {
    return text.substring(0, Math.min(12, text.length()));
  }
}
