// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Pattern;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Sha256;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.capture.Capture;
import org.netserv.lab.testbed.capture.SalFrames;

/**
 * A client behind a NAT downloads by name: from an instance that it asks itself, and by a service
 * router whose instance answers directly. A NAT that lets in answers of the address asked alone
 * stops the direct answer, because no SYN-ACK comes by the router. The scenario shows that, too.
 */
public final class ServalNat implements Scenario {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String MODULE = "NetServ.apps.ServiceRouter";
  private static final String USER = "user";
  private static final String NAT = "nat";
  private static final String SERVER = "192.0.2.10";
  private static final String ROUTER = "198.51.100.1";
  private static final String ID = "00004001";
  private static final int PORT = 54325;
  private static final String INSTANCE = "c000020a:" + PORT;
  private static final int BYTES = 2_000_000;

  /** Exit status of curl when its time is over. */
  private static final int NOT_ANSWERED = 28;

  private static final String MASQUERADE =
      "flush ruleset; add table ip nat;"
          + " add chain ip nat post { type nat hook postrouting priority 100; };"
          + " add rule ip nat post oifname wan masquerade;"
          + " add chain ip nat in { type filter hook input priority 0; };"
          + " add rule ip nat in iifname wan ip saddr "
          + SERVER
          + " counter";

  private static final String FULL_CONE =
      MASQUERADE
          + "; add chain ip nat pre { type nat hook prerouting priority -100; };"
          + " add rule ip nat pre iifname wan udp dport "
          + PORT
          + " dnat to 10.9.0.10";

  private final ResultTable table = new ResultTable("when", "expected", "seen", "");
  private Stage stage;
  private Testbed testbed;
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
    stage.step("SETUP of a service router, a server that registers, a client behind a NAT");
    stage.deployServer(
        LabHome.dist().resolve("apps/service-router.jar"), Map.of("registrations", "0000"));
    digest = Payload.write(testbed, BYTES);
    ServalNode server = ServalNode.up(testbed, "server", "eth0");
    server.order("register id=" + ID + " port=80");
    server.order("router address=" + ROUTER);
    Wait.until("the registration", PATIENCE, () -> registered() > 0);
    user = ServalNode.up(testbed, USER, "eth0");
    user.order("name name=web.serval id=" + ID);

    stage.step("a rule to the instance; the NAT lets in answers of the address asked");
    testbed.run(NAT, "nft", MASQUERADE);
    user.order("forward id=" + ID + " to=" + SERVER);
    answered("asked directly", 0);

    stage.step("by the router; the NAT lets in all answers to a port");
    testbed.run(NAT, "nft", FULL_CONE);
    user.order("unforward id=" + ID);
    user.order("forward id=" + ID + " to=" + ROUTER);
    answered("by the router, NAT open to all", 3);

    stage.step("by the router; the NAT lets in answers of the address asked");
    testbed.run(NAT, "nft", MASQUERADE);
    testbed.run(NAT, "conntrack", "-F");
    row("by the router, NAT that filters: status", NOT_ANSWERED, curl());
    row("its SYN-ACKs stopped at the NAT", "some", stopped() ? "some" : "none");
    stage.show(table);
    return holds;
  }

  private long registered() throws IOException {
    try (NodeClient client = testbed.client("node")) {
      return GainTraffic.module(client.counters(Stage.PUBLISHER), MODULE)
          .path("counts")
          .path("RULE_OK")
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
