// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.capture.PacketCounter;
import org.netserv.lab.testbed.tool.KeepAliveStream;

/**
 * Checks that the node's answer to a keep-alive reaches the user, whatever NATs and firewalls stand
 * around the node. Other packets of the same flow must travel as before.
 *
 * <p>The matrix has the user with or without a NAT before the node, the node masquerading or not,
 * its firewall with or without connection tracking, and IPv4 and IPv6. In each cell the user sends,
 * from one port, a request that passes, keep-alives, and again a request that passes.
 */
public final class Turned implements Scenario {
  private static final int KEEP_ALIVES = 20;
  private static final int RATE = 50;

  /**
   * Rules of a stateful firewall as routers have it: connections from inside, and packets that
   * belong to them.
   */
  private static final List<String> STATEFUL =
      List.of(
          "FORWARD -m conntrack --ctstate INVALID -j DROP",
          "FORWARD -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT",
          "FORWARD -i core -m conntrack --ctstate NEW -j DROP");

  private static final String MASQUERADE = "POSTROUTING -o core -j MASQUERADE";

  private Stage stage;
  private PacketCounter seen;
  private int port = 20_000;

  @Override
  public String topology() {
    return "turned";
  }

  @Override
  public boolean play(Stage theStage) throws IOException {
    stage = theStage;
    stage.step("deploy the keep-alive responder");
    stage.deploy(LabHome.dist().resolve("apps/keepalive.jar"), 5060, Map.of("pass-every", "0"));
    seen = PacketCounter.install(stage.testbed(), "server", "eth0", 5060);
    ResultTable table =
        new ResultTable(
            "user",
            "node",
            "firewall",
            "IP",
            "sent",
            "answered",
            "others",
            "through",
            "server saw",
            "");
    boolean holds = true;
    for (boolean masquerades : new boolean[] {false, true}) {
      for (boolean stateful : new boolean[] {false, true}) {
        rules(true, masquerades, stateful);
        for (String user : List.of("user", "natted")) {
          for (boolean v6 : new boolean[] {false, true}) {
            holds &= cell(table, user, masquerades, stateful, v6);
          }
        }
        rules(false, masquerades, stateful);
      }
    }
    stage.show(table);
    return holds;
  }

  private boolean cell(
      ResultTable table, String user, boolean masquerades, boolean stateful, boolean v6)
      throws IOException {
    String name = user + (masquerades ? ", masquerade" : "") + (stateful ? ", stateful" : "");
    stage.step(name + ", IPv" + (v6 ? 6 : 4));
    long before = seen.read();
    Map<String, Long> result =
        Tool.start(
                stage.testbed(),
                user,
                stage.unique("keepalives"),
                KeepAliveStream.class,
                stage.server(v6).getHostAddress(),
                5060,
                RATE,
                KEEP_ALIVES,
                port++)
            .result(30);
    long server = seen.read() - before;
    boolean holds =
        result.get("answered") == KEEP_ALIVES
            && result.get("through") == 2
            && server == result.get("others");
    table.row(
        user,
        masquerades ? "masquerades" : "routes",
        stateful ? "conntrack" : "none",
        v6 ? "v6" : "v4",
        result.get("sent"),
        result.get("answered"),
        result.get("others"),
        result.get("through"),
        server,
        holds ? "ok" : "WRONG");
    return holds;
  }

  private void rules(boolean add, boolean masquerades, boolean stateful) throws IOException {
    if (masquerades) {
      rule("nat", add, MASQUERADE);
    }
    if (stateful) {
      for (String rule : STATEFUL) {
        rule("filter", add, rule);
      }
    }
  }

  private void rule(String table, boolean add, String rule) throws IOException {
    for (String program : List.of("iptables-nft", "ip6tables-nft")) {
      String command = program + " -w -t " + table + (add ? " -A " : " -D ") + rule;
      stage.testbed().run("node", command.split(" ", -1));
    }
  }
}
