// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.relay;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.netserv.lab.bench.FigureTable;
import org.netserv.lab.testbed.Coturn;
import org.netserv.lab.testbed.LabPublisher;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.NodeProcesses;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Report;
import org.netserv.lab.testbed.base.Step;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.tool.RelayLoad;
import org.netserv.lab.testbed.topology.TopologyException;
import org.netserv.lab.testbed.topology.TopologyReader;

/**
 * Measures the media relay in its container beside coturn on the same node, in turn, by the same
 * clients and the same peer over the same interfaces.
 */
public final class RelayBench {
  private static final String ADDRESS = "198.51.101.1";
  private static final String PEER = "203.0.113.10";
  private static final int MIRROR = 3480;
  private static final int LENGTH = 160;
  private static final int COTURN_PORT = 3479;
  private static final String SECRET = "lab-secret";
  private static final String OURS = "Media Relay";
  private static final String COTURN = "coturn";
  private static final double GOAL_MICROS = 6;
  private static final double LOSS_MOST = 0.001;

  private final RelayPlan plan;
  private final Report report;
  private final Step step;
  private final Testbed testbed;
  private final FigureTable figures = new FigureTable();
  private int tools;

  private RelayBench(RelayPlan plan, Report report, Step step, Testbed testbed) {
    this.plan = plan;
    this.report = report;
    this.step = step;
    this.testbed = testbed;
  }

  /** Measures, prints and judges. Returns 0 if the goal is met. */
  public static int run(RelayPlan plan, Report report) {
    Step step = new Step(report.out());
    step.begin("build the testbed relay-bench");
    try (Testbed testbed =
        Testbed.temporary(
            TopologyReader.read(LabHome.file("topologies/relay-bench.yaml")), report.out())) {
      return new RelayBench(plan, report, step, testbed).measure();
    } catch (TopologyException | IOException e) {
      return report.verdict(step.failed(e) == 0, e.getMessage());
    }
  }

  private int measure() throws IOException {
    step.begin("SETUP of the relay; start of coturn and of the peer");
    Tool.start(
        testbed,
        "peer",
        "mirror",
        List.of("turnutils_peer", "-L", PEER, "-p", Integer.toString(MIRROR)));
    List<RelayServer> servers = List.of(ours(), coturn());
    for (int round = 1; round <= plan.rounds(); round++) {
      step.begin("round " + round + " of " + plan.rounds());
      direct();
      for (RelayServer server : servers) {
        packets(server);
      }
    }
    for (RelayServer server : servers) {
      step.begin("loss-free rate and memory of " + server.name());
      lossFree(server);
      memory(server);
    }
    report.show(figures.table());
    double median = figures.of(OURS, "CPU per relayed packet, us").median();
    boolean met = median <= GOAL_MICROS;
    return report.verdict(
        met,
        String.format(
            Locale.ROOT, "%.1f us a relayed packet; the goal is %.0f.", median, GOAL_MICROS));
  }

  private RelayServer ours() throws IOException {
    LabPublisher publisher = testbed.publisher("sip");
    LabPublisher.Bundle bundle = publisher.publish(LabHome.dist().resolve("apps/media-relay.jar"));
    InetAddress to = testbed.topology().node("server").address(false).ip();
    try (NodeClient node = testbed.client("node")) {
      NodeClient.Answer answer =
          node.ncm(publisher.setup(bundle, to, to, Map.of(), Map.of("secret", SECRET)));
      if (!answer.running()) {
        throw new LabException("refused: " + answer);
      }
    }
    return new RelayServer(OURS, 3478, NodeProcesses.of(testbed, "node").pid("container"));
  }

  private RelayServer coturn() throws IOException {
    Tool tool = Coturn.start(testbed, "node", ADDRESS, COTURN_PORT, SECRET);
    Wait.pause(2000);
    long pid =
        tool.process()
            .descendants()
            .map(ProcessHandle::pid)
            .reduce((first, last) -> last)
            .orElse(tool.process().pid());
    return new RelayServer(COTURN, COTURN_PORT, pid);
  }

  private Tool load(String server, int port, int clients, int perSecond, int warm, int time)
      throws IOException {
    return Tool.start(
        testbed,
        "user",
        "load-" + ++tools,
        RelayLoad.class,
        server,
        port,
        SECRET,
        PEER,
        MIRROR,
        clients,
        perSecond,
        LENGTH,
        warm,
        time);
  }

  private void direct() throws IOException {
    Tool tool = load("-", 0, plan.clients(), plan.perSecond(), 500, plan.measureMillis() / 2);
    Map<String, Long> result = tool.result(60);
    figures.of("no relay", "round trip p50, us").add(result.get("median"));
    figures.of("no relay", "round trip p99, us").add(result.get("tail"));
  }

  private void packets(RelayServer server) throws IOException {
    Tool tool =
        load(
            ADDRESS,
            server.port(),
            plan.clients(),
            plan.perSecond(),
            plan.warmMillis(),
            plan.measureMillis());
    tool.await("measuring");
    double before = server.processorMicros();
    tool.await("measured");
    double used = server.processorMicros() - before;
    Map<String, Long> result = tool.result(60);
    double relayed = result.get("sent") + result.get("back");
    figures.of(server.name(), "CPU per relayed packet, us").add(used / relayed);
    figures.of(server.name(), "round trip p50, us").add(result.get("median"));
    figures.of(server.name(), "round trip p99, us").add(result.get("tail"));
    figures
        .of(server.name(), "lost, %")
        .add(100.0 * (result.get("sent") - result.get("back")) / result.get("sent"));
  }

  /** Finds the highest rate of the plan at which no more than one datagram of 1,000 is lost. */
  private void lossFree(RelayServer server) throws IOException {
    int best = 0;
    for (int rate : plan.rates()) {
      Map<String, Long> result =
          load(ADDRESS, server.port(), plan.clients(), rate, 1000, 2000).result(60);
      double lost = 1 - (double) result.get("back") / result.get("sent");
      if (lost > LOSS_MOST) {
        break;
      }
      best = 2 * rate;
    }
    if (!plan.rates().isEmpty()) {
      figures.of(server.name(), "loss-free relayed packets/s").add(best);
    }
  }

  private void memory(RelayServer server) throws IOException {
    if (plan.allocations() == 0) {
      return;
    }
    long before = server.residentKib();
    Tool holder = load(ADDRESS, server.port(), plan.allocations(), 0, 0, 0);
    Wait.until("the allocations", Duration.ofMinutes(2), () -> holds(holder));
    figures
        .of(server.name(), "memory per allocation, KiB")
        .add((double) (server.residentKib() - before) / plan.allocations());
    holder.process().destroy();
  }

  private boolean holds(Tool holder) throws LabException {
    if (!holder.running()) {
      throw new LabException("no allocations: " + testbed.tail("user", "load-" + tools, 5));
    }
    return testbed.tail("user", "load-" + tools, 5).contains("holding");
  }
}
