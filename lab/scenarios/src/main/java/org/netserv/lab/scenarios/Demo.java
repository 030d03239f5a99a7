// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.netserv.lab.testbed.LabPublisher;
import org.netserv.lab.testbed.LabPublisher.Bundle;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.NodeDaemon;
import org.netserv.lab.testbed.PathPublisher;
import org.netserv.lab.testbed.PathPublisher.Reply;
import org.netserv.lab.testbed.PathPublisher.Route;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Report;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Step;
import org.netserv.lab.testbed.capture.Capture;
import org.netserv.lab.testbed.capture.KeepAlives;
import org.netserv.lab.testbed.capture.PacketCounter;
import org.netserv.lab.testbed.topology.Topology;
import org.netserv.lab.testbed.topology.Topology.Node;
import org.netserv.lab.testbed.topology.TopologyException;
import org.netserv.lab.testbed.topology.TopologyReader;
import org.netserv.lab.testbed.traffic.Agents;

/**
 * Shows keep-alives that are answered at the edge instead of by the SIP server: before the module
 * runs, while it runs, and after it. No part of the result comes from the node. A capture on the
 * users' link and the kernel at the server's interface count the packets.
 */
public final class Demo {
  /** Name of the SIP provider in the topology's policy. */
  static final String PUBLISHER = "sip";

  private static final double ENOUGH = 0.999;

  /** The server's share of answers. On a busy machine it drops some by itself, with no node. */
  private static final double SERVERS_ENOUGH = 0.9;

  /** Seconds in which the path has to answer. The node starts a JVM in that time. */
  private static final int BUDGET = 90;

  /**
   * The number of keep-alives to send.
   *
   * @param around keep-alives per agent before and after
   * @param deployed keep-alives per agent while the module runs
   */
  record Load(int agents, int period, int around, int deployed) {
    static final Load FULL = new Load(1000, 500, 6, 66);
    static final Load QUICK = new Load(100, 100, 10, 32);

    long expected(int each) {
      return (long) agents * each;
    }
  }

  /**
   * Counts of one phase.
   *
   * @param server keep-alives that reached the server
   * @param replies the server's answers, as they left it
   */
  record Phase(String name, long expected, KeepAlives user, long server, long replies) {
    /**
     * Returns true if the server saw exactly the keep-alives that were sent, answered most of them,
     * and enough of its answers came back.
     */
    boolean served() {
      return user.sent() == expected
          && server == user.sent()
          && replies >= SERVERS_ENOUGH * server
          && user.answered() >= ENOUGH * replies;
    }

    /** Returns true if the edge answered enough, and the server saw nothing. */
    boolean offloaded() {
      return user.sent() == expected && server == 0 && user.answered() >= ENOUGH * user.sent();
    }
  }

  private final Load load;
  private final Report report;
  private final PrintStream out;
  private final Step step;
  private Testbed testbed;
  private PacketCounter counter;
  private PacketCounter replies;

  Demo(Load load, Report report) {
    this.load = load;
    this.report = report;
    this.out = report.out();
    this.step = new Step(out);
  }

  /**
   * Runs the demo and prints the table and the verdict.
   *
   * @param quick a short run: {@link Load#QUICK}
   * @param watched whether the node's dashboard is served beside it
   * @return 0 only if the verdict is good
   */
  public static int run(boolean quick, boolean watched, Report report) {
    return new Demo(quick ? Load.QUICK : Load.FULL, report).run(watched);
  }

  private int run(boolean watched) {
    try {
      Topology topology = TopologyReader.read(LabHome.file("topologies/keepalive.yaml"));
      step.begin("build the testbed: server - node - nat - user");
      try (Testbed bed = Testbed.temporary(topology, out)) {
        open(bed);
        try (Watch watch = new Watch(bed, node -> "nat")) {
          if (watched) {
            watch.start(out);
          }
          return verdict(phases());
        }
      }
    } catch (TopologyException | IOException e) {
      report.failed(e.getMessage());
      return step.failed(e);
    }
  }

  /** Prepares the demo in a testbed that is up. */
  void open(Testbed bed) throws IOException {
    testbed = bed;
    counter = PacketCounter.install(bed, "server", "eth0", 5060);
    replies = PacketCounter.leaving(bed, "server", "eth0", 5060);
    String filter = bed.run("node", "sysctl", "-n", "net.ipv4.conf.edge.rp_filter").strip();
    out.println("  node: rp_filter=" + filter + "; nat: masquerades; " + load.agents() + " agents");
  }

  private List<Phase> phases() throws IOException {
    List<Phase> phases = new ArrayList<>();
    LabPublisher publisher = testbed.publisher(PUBLISHER);
    phases.add(measure("before", load.around()));
    Node server = testbed.topology().node("server");
    InetAddress to = testbed.topology().node("nat").address(false).ip();
    Route route = new Route(to, BUDGET);
    Bundle bundle = publisher.publish(LabHome.dist().resolve("apps/keepalive.jar"));
    try (PathPublisher path = PathPublisher.start(testbed, "server", publisher)) {
      path.known(List.of(nodeId()));
      step.begin("deploy: on the server, SETUP --to " + to.getHostAddress() + ", the users' side");
      String url = "http://" + server.address(false).ip().getHostAddress() + "/" + bundle.file();
      require(
          path.setup(
              bundle,
              route,
              Map.of(
                  "url", url,
                  "ttl", "3600",
                  "filter-port", "5060",
                  "filter-proto", "udp",
                  "properties", "pass-every=0")));
      phases.add(measure("deployed", load.deployed()));
      step.begin("undeploy: REMOVE --to " + to.getHostAddress());
      require(path.remove(bundle.module(), route));
    }
    phases.add(measure("after", load.around()));
    return phases;
  }

  /** Returns the node's id, which the publisher knows beforehand from its operator. */
  private String nodeId() throws IOException {
    try (NodeClient node = testbed.client("node")) {
      return node.status().path("nodeId").asText();
    }
  }

  private void require(Reply reply) throws IOException {
    out.println("  the path answers: " + reply);
    boolean done =
        reply.nodes().size() == 1
            && reply.nodes().get(0).status() == 200
            && reply.nodes().get(0).verified();
    if (!done) {
      throw new LabException(
          "the node on the path did not do it; its log:\n"
              + NodeDaemon.controllerLog(NodeDaemon.root(testbed, "node"), 20));
    }
  }

  /** Sends keep-alives and counts them at both ends of the path. */
  Phase measure(String name, int each) throws IOException {
    step.begin("%s: %d agents send %d keep-alives each".formatted(name, load.agents(), each));
    Capture capture = Capture.start(testbed, "user", "eth0", name, "udp port 5060");
    long before = counter.read();
    long repliesBefore = replies.read();
    new Agents(testbed, "user", load.agents(), load.period())
        .run(testbed.topology().node("server"), each);
    KeepAlives user = capture.finish();
    return new Phase(
        name, load.expected(each), user, counter.read() - before, replies.read() - repliesBefore);
  }

  private int verdict(List<Phase> phases) {
    ResultTable table =
        new ResultTable(
            "phase", "sent", "answered", "%", "seen by server", "rtt p50 ms", "rtt p99 ms");
    for (Phase phase : phases) {
      KeepAlives user = phase.user();
      table.row(
          phase.name(),
          user.sent(),
          user.answered(),
          "%.2f".formatted(100.0 * user.answered() / Math.max(1, user.sent())),
          phase.server(),
          "%.2f".formatted(user.rtt().percentile(50)),
          "%.2f".formatted(user.rtt().percentile(99)));
    }
    report.show(table);
    boolean good = phases.get(0).served() && phases.get(1).offloaded() && phases.get(2).served();
    int status = report.verdict(good, good ? "it holds." : "it does not hold.");
    explain(phases);
    return status;
  }

  private void explain(List<Phase> phases) {
    for (Phase phase : phases) {
      boolean deployed = phase.name().equals("deployed");
      String server =
          deployed
              ? "the server saw " + phase.server() + " (0 wanted)"
              : "the server saw %d (%d wanted) and answered %d (%.0f %% wanted)"
                  .formatted(
                      phase.server(), phase.user().sent(), phase.replies(), 100 * SERVERS_ENOUGH);
      out.printf(
          "  %s: %d of %d sent, %d answered (%.1f %% of %d wanted), %d strange answers, %s%n",
          phase.name(),
          phase.user().sent(),
          phase.expected(),
          phase.user().answered(),
          100 * ENOUGH,
          deployed ? phase.user().sent() : phase.replies(),
          phase.user().strange(),
          server);
    }
  }
}
