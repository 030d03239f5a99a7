// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.netserv.lab.testbed.HostileBundle;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.NodeDaemon;
import org.netserv.lab.testbed.NodeProcesses;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.VethCard;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Wait;

/**
 * Checks packets with a forged source that a module turns around. They must reach no host that has
 * not sent them.
 *
 * <p>The forged sources are another container, a host behind the operator's DROP, and the node
 * itself. The packets come by three interfaces on each plane and in both families. Honest packets
 * beside them must all come back. The control plays the same without the checks. There each forged
 * source must be reached, or the row is wrong.
 */
public final class SpoofedTurn implements Scenario {
  private static final String NODE = "node";
  private static final String OTHER = "other";
  private static final String SERVER_PORT = "5060";
  private static final int FORGED = 10;
  private static final int HONEST = 200;
  private static final String RATE = "100";
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final List<String> HONEST_HOSTS = List.of("user", "guest");
  private static final List<String> FORGERS = List.of("user", "guest", "office");

  /** The operator's own rule, which stands beside the node's rules. */
  private static final String OPERATORS = "-A FORWARD -o manage -j DROP";

  /** Ways of a packet to a module and of the turned packet out. */
  private enum Plane {
    QUEUE("queue", "k", "received"),
    AFXDP("afxdp", "k", "xdp_received"),
    OFFLOAD("offload", "o", "flows-packets"),
    DIRECT("direct", "o", "flows-packets");

    /** Name in the scenario's option. */
    final String label;

    /**
     * First letter of a datagram, which tells the module whether to give the flow to the kernel.
     */
    final String letter;

    /** Name of the counter of packets that went this way. */
    final String counter;

    Plane(String label, String letter, String counter) {
      this.label = label;
      this.letter = letter;
      this.counter = counter;
    }
  }

  private final ResultTable table =
      new ResultTable(
          "plane",
          "IP",
          "checks",
          "forged",
          "container",
          "management",
          "node",
          "honest",
          "came back",
          "by the plane",
          "");
  private Stage stage;
  private Testbed testbed;
  private Victims victims;

  @Override
  public String topology() {
    return "spoofed-turn";
  }

  @Override
  public boolean play(Stage theStage) throws IOException {
    stage = theStage;
    testbed = stage.testbed();
    for (String host : List.of("user", "guest", "office", "server")) {
      VethCard.of(testbed, host).addsChecksums().takesRedirected();
    }
    stage.step("deploy a module that turns everything, and another publisher's container");
    Path state = testbed.state();
    stage.deploy(HostileBundle.build("Turn", state), Integer.parseInt(SERVER_PORT), Map.of());
    Path server = HostileBundle.build("Server", state, "org.osgi.framework,com.sun.net.httpserver");
    stage.deployServer(NODE, OTHER, server, Map.of());
    firewall(OPERATORS);
    boolean holds;
    try (Victims opened = new Victims(stage, NODE)) {
      victims = opened;
      holds = planes(true);
      holds &= uncured(); // also if the first does not hold
    }
    stage.show(table);
    return holds;
  }

  private boolean uncured() throws IOException {
    stage.step("the same without the checks");
    try (UncuredNode uncured = new UncuredNode(testbed, NODE)) {
      uncured.start();
      victims.again();
      String mark = " 1 -m mark --mark 0x400000/0x400000 -j ACCEPT";
      firewall("-I FORWARD" + mark);
      firewall("-I INPUT" + mark);
      return planes(false);
    }
  }

  private void firewall(String rule) throws IOException {
    for (String program : List.of("iptables-nft", "ip6tables-nft")) {
      testbed.run(NODE, (program + " -w " + rule).split(" ", -1));
    }
  }

  private boolean planes(boolean checks) throws IOException {
    boolean holds = true;
    for (Plane plane : Plane.values()) {
      if (!stage.wants(plane.label)) {
        continue;
      }
      stage.step(plane.label + (checks ? "" : ", without the checks"));
      configure(plane);
      for (boolean v6 : new boolean[] {false, true}) {
        holds &= row(plane, v6, checks);
      }
    }
    return holds;
  }

  private void configure(Plane plane) throws IOException {
    Path file =
        NodeDaemon.root(testbed, NODE)
            .resolve("etc/netserv/publishers.d/" + Stage.PUBLISHER + ".yaml");
    String way = plane == Plane.AFXDP ? "afxdp" : "queue";
    Files.writeString(file, Files.readString(file).replaceFirst("plane: .*", "plane: " + way));
    ObjectNode config = new ObjectMapper().createObjectNode();
    config.putObject("fetch").putArray("allow").add("192.0.2.10/32");
    int interfaces = 0;
    if (plane != Plane.QUEUE) {
      ObjectNode fast = config.putObject("fast-path");
      fast.put("forward", plane == Plane.DIRECT ? "direct" : "kernel");
      for (String name : List.of("core", "edge", "lan", "manage")) {
        fast.withArray("interfaces").add(name);
        interfaces++;
      }
    }
    NodeDaemon.reconfigure(testbed, NODE, config);
    int on = interfaces;
    int sockets = plane == Plane.AFXDP ? interfaces : 0;
    Wait.until(
        "the plane " + plane.label,
        PATIENCE,
        () -> fastPath() == on && counter("xdp_sockets") >= sockets);
    for (boolean v6 : new boolean[] {false, true}) {
      for (String host : HONEST_HOSTS) {
        echo(host, v6, plane, HONEST / 10).result(60); // until neighbours are known
      }
    }
  }

  private int fastPath() throws IOException {
    try (NodeClient node = testbed.client(NODE)) {
      return node.status().path("fastPath").path("interfaces").size();
    }
  }

  private boolean row(Plane plane, boolean v6, boolean checks) throws IOException {
    long turned = counter("turned") + counter("flows-packets");
    long by = counter(plane.counter);
    Map<Victims.Kind, Long> before = victims.received();
    if (!checks) {
      unfence();
    }
    List<Tool> honest = new ArrayList<>();
    for (String host : HONEST_HOSTS) {
      honest.add(echo(host, v6, plane, HONEST));
    }
    long forged = forge(plane, v6);
    long sent = 0;
    long back = 0;
    for (Tool tool : honest) {
      Map<String, Long> result = tool.result(60);
      sent += result.get("sent");
      back += result.get("answered");
    }
    if (!checks) {
      victims.await(before, PATIENCE);
      signal("-CONT");
    }
    long all = forged + sent;
    Wait.until(
        "all to be turned",
        PATIENCE,
        () -> counter("turned") + counter("flows-packets") - turned >= all);
    for (String host : HONEST_HOSTS) {
      echo(host, v6, plane, 1).result(60); // turned packets have left by now
    }
    Map<Victims.Kind, Long> after = victims.received();
    boolean reached = true;
    boolean spared = true;
    List<Object> cells = new ArrayList<>(List.of(plane.label, v6 ? "v6" : "v4"));
    cells.add(checks ? "all" : "none");
    cells.add(forged);
    for (Victims.Kind kind : Victims.Kind.values()) {
      long received = after.get(kind) - before.get(kind);
      reached &= received > 0;
      spared &= received == 0;
      cells.add(received);
    }
    long went = counter(plane.counter) - by;
    boolean holds = (checks ? spared : reached) && back == sent && went >= sent / 2;
    cells.addAll(List.of(sent, back, went, holds ? "ok" : "WRONG"));
    table.row(cells.toArray());
    return holds;
  }

  /**
   * Removes the firewall tables while the spawner is stopped, because it would put them back at
   * once.
   */
  private void unfence() throws IOException {
    signal("-STOP");
    testbed.run(NODE, "nft", "delete", "table", "inet", "netserv");
    victims.unfence();
  }

  private void signal(String name) throws IOException {
    long spawner = NodeProcesses.of(testbed, NODE).pid("spawner");
    testbed.run(NODE, "kill", name, Long.toString(spawner));
  }

  private Tool echo(String host, boolean v6, Plane plane, int count) throws IOException {
    return Tool.start(
        testbed,
        host,
        stage.unique("echo"),
        List.of(
            udp(),
            "echo",
            "4000",
            stage.server(v6).getHostAddress(),
            SERVER_PORT,
            Integer.toString(count),
            RATE,
            plane.letter));
  }

  /**
   * Sends forged packets from each forger in the name of each victim, except in its own name.
   * Returns their number.
   */
  private long forge(Plane plane, boolean v6) throws IOException {
    long forged = 0;
    for (String forger : FORGERS) {
      for (Victims.Kind victim : Victims.Kind.values()) {
        if (forger.equals("office") && victim == Victims.Kind.MANAGEMENT) {
          continue;
        }
        testbed.run(
            forger,
            udp(),
            "forge",
            victims.address(victim, v6),
            Integer.toString(Victims.PORT),
            stage.server(v6).getHostAddress(),
            SERVER_PORT,
            Integer.toString(FORGED),
            RATE,
            plane.letter);
        forged += FORGED;
      }
    }
    return forged;
  }

  static String udp() {
    return LabHome.dist().resolve("bin/lab-udp").toString();
  }

  /** Returns a counter of pktio, or a counter of bpfd about the container. */
  private long counter(String name) throws IOException {
    return Stage.counter(stage.counters(), name);
  }
}
