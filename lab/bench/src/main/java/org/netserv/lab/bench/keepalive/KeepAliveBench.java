// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.keepalive;

import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.netserv.lab.bench.BenchTestbed;
import org.netserv.lab.bench.FigureTable;
import org.netserv.lab.testbed.LabPublisher;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.NodeProcesses;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.CpuTime;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Report;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Step;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.capture.PacketCounter;
import org.netserv.lab.testbed.tool.KeepAliveStream;
import org.netserv.ncm.Header;

/**
 * Measures what a keep-alive costs when the KeepAlive Responder answers it at the edge, when the
 * node's kernel does by the module's templates, and when Kamailio does behind the same router, in
 * turn and by the same agents. The module has the server's port 5060, and Kamailio has another.
 *
 * <p>Kamailio is charged with its processes alone. The edge is charged with all processes of the
 * node, and with the soft interrupts of the machine beyond those of a stream that the router drops
 * when it comes in. The way of the answers to the agents is among them. A soft interrupt that runs
 * within a process of the node counts twice, so the sum is an upper bound.
 */
public final class KeepAliveBench {
  private static final String EDGE = "KeepAlive Responder";
  private static final String KERNEL = "in the kernel";
  private static final String KAMAILIO = "Kamailio";
  private static final String PROCESSES = "of it processes, us";
  private static final String SOFTIRQ = "soft interrupts beyond a dropped stream's, us";
  private static final String LOST = "without an answer, %";
  private static final String COST = "CPU per keep-alive, us";
  private static final double GOAL_MICROS = 6;
  private static final double LOST_MOST = 0.1;
  private static final int FIRST_PORT = 20_000;
  private static final int PATIENCE_SECONDS = 60;

  /** Property of the module: seconds for which the kernel answers an agent; 0 = never. */
  private static final String BY_KERNEL = "kernel";

  private static final String LONG = "3600";
  private static final String NEVER = "0";

  /** Destinations of a stream. */
  private enum Target {
    MODULE(5060),
    KAMAILIO(5061),
    DROPPED(5062);

    private final int port;

    Target(int port) {
      this.port = port;
    }
  }

  /**
   * One measurement.
   *
   * @param count keep-alives that came to the NAT in the measured time
   * @param before processor time of the processes that are charged, at the beginning
   * @param after the same at the end
   * @param softirq microseconds of soft interrupts of the machine
   * @param lost share of all keep-alives without an answer, in percent
   */
  private record Sample(long count, CpuTime before, CpuTime after, double softirq, double lost) {
    double each(double micros) {
      return micros / Math.max(1, count);
    }

    double processes() {
      return each(after.microsSince(before));
    }

    double process(long pid) {
      return each(after.microsSince(before, pid));
    }
  }

  /** Reads a processor time. */
  private interface Clock {
    CpuTime read() throws IOException;
  }

  private final KeepAlivePlan plan;
  private final Report report;
  private final Step step;
  private final Testbed testbed;
  private final FigureTable figures = new FigureTable();
  private final Map<Target, PacketCounter> counters = new EnumMap<>(Target.class);
  private LabPublisher publisher;
  private LabPublisher.Bundle bundle;
  private int streams;

  private KeepAliveBench(KeepAlivePlan plan, Report report, Step step, Testbed testbed) {
    this.plan = plan;
    this.report = report;
    this.step = step;
    this.testbed = testbed;
  }

  /** Measures, prints and judges. Returns 0 if the goal is met. */
  public static int run(KeepAlivePlan plan, Report report) {
    return BenchTestbed.measure(
        plan.topology(),
        report,
        (testbed, step) -> new KeepAliveBench(plan, report, step, testbed).measure());
  }

  private int measure() throws IOException {
    step.begin("SETUP of the module");
    publisher = testbed.publisher("sip");
    bundle = publisher.publish(LabHome.dist().resolve("apps/keepalive.jar"));
    deploy(NEVER);
    for (Target target : Target.values()) {
      counters.put(target, PacketCounter.install(testbed, "nat", "lan", target.port));
    }
    drop();
    for (int round = 1; round <= plan.rounds(); round++) {
      step.begin("round " + round + " of " + plan.rounds());
      Sample dropped = sample(Target.DROPPED, this::kamailio);
      double reference = dropped.each(dropped.softirq());
      Sample kamailio = sample(Target.KAMAILIO, this::kamailio);
      keep(KAMAILIO, kamailio, reference, 0);
      deploy(NEVER);
      Sample edge = sample(Target.MODULE, this::node);
      keep(EDGE, edge, reference, 1);
      parts(EDGE, edge);
      if (plan.kernel()) {
        deploy(LONG);
        Sample kernel = sample(Target.MODULE, this::node);
        keep(KERNEL, kernel, reference, 1);
        parts(KERNEL, kernel);
      }
    }
    ResultTable table = figures.table();
    report.show(table);
    String best = plan.kernel() ? KERNEL : EDGE;
    double median = figures.of(best, COST).median();
    double lost = figures.of(best, LOST).median();
    return report.verdict(
        median <= GOAL_MICROS && lost <= LOST_MOST,
        String.format(
            Locale.ROOT,
            "%.1f us a keep-alive %s, %.0f by the module, %.0f by Kamailio; the goal is %.0f."
                + " %.2f %% lost.",
            median,
            best,
            figures.of(EDGE, COST).median(),
            figures.of(KAMAILIO, COST).median(),
            GOAL_MICROS,
            lost));
  }

  private void parts(String server, Sample edge) throws IOException {
    NodeProcesses node = NodeProcesses.of(testbed, "node");
    for (String part : List.of("pktio", "container")) {
      figures.of(server, "of it " + part + ", us").add(edge.process(node.pid(part)));
    }
  }

  /** Gives the module its properties, and so a new memory. */
  private void deploy(String seconds) throws IOException {
    InetAddress server = testbed.topology().node("server").address(false).ip();
    Map<Header, String> filter =
        Map.of(
            Header.FILTER_PORT, Integer.toString(Target.MODULE.port), Header.FILTER_PROTO, "udp");
    try (NodeClient node = testbed.client("node")) {
      Map<String, String> properties = Map.of("pass-every", "0", BY_KERNEL, seconds);
      NodeClient.Answer answer =
          node.ncm(publisher.setup(bundle, server, server, filter, properties));
      if (!answer.running()) {
        throw new LabException("refused: " + answer);
      }
    }
  }

  /** Has the router drop one of the streams as soon as it comes in. */
  private void drop() throws IOException {
    testbed.run(
        "node",
        "iptables-nft",
        "-w",
        "-t",
        "raw",
        "-A",
        "PREROUTING",
        "-i",
        "edge",
        "-p",
        "udp",
        "--dport",
        Integer.toString(Target.DROPPED.port),
        "-j",
        "DROP");
  }

  private CpuTime kamailio() throws IOException {
    return CpuTime.of(testbed.topology().name(), "server", "kamailio");
  }

  private CpuTime node() throws IOException {
    return CpuTime.of(NodeProcesses.of(testbed, "node").all());
  }

  private Sample sample(Target target, Clock clock) throws IOException {
    List<Tool> agents = agents(target);
    PacketCounter counter = counters.get(target);
    long first = counter.read();
    Wait.until(
        "the agents of " + target,
        java.time.Duration.ofSeconds(PATIENCE_SECONDS),
        () -> counter.read() > first);
    Wait.pause(1000L * plan.warmSeconds());
    CpuTime begin = clock.read();
    double softirq = CpuTime.softirqMicros();
    long before = counter.read();
    Wait.pause(1000L * plan.measureSeconds());
    long count = counter.read() - before;
    double usedInSoftirq = CpuTime.softirqMicros() - softirq;
    return new Sample(count, begin, clock.read(), usedInSoftirq, lost(agents));
  }

  private List<Tool> agents(Target target) throws IOException {
    String server = testbed.topology().node("server").address(false).ip().getHostAddress();
    int each = plan.perSecond() / plan.agents();
    List<Tool> agents = new ArrayList<>();
    for (int i = 0; i < plan.agents(); i++) {
      agents.add(
          Tool.start(
              testbed,
              "user",
              "agent-" + ++streams,
              KeepAliveStream.class,
              server,
              target.port,
              each,
              each * (plan.warmSeconds() + plan.measureSeconds() + 1),
              FIRST_PORT + streams,
              "alone"));
    }
    return agents;
  }

  private static double lost(List<Tool> agents) throws IOException {
    long sent = 0;
    long answered = 0;
    for (Tool agent : agents) {
      Map<String, Long> result = agent.result(PATIENCE_SECONDS);
      sent += result.get("sent");
      answered += result.get("answered");
    }
    return 100.0 * (sent - answered) / Math.max(1, sent);
  }

  /**
   * Keeps the figures of a measurement.
   *
   * @param reference soft interrupts of a dropped keep-alive
   * @param share of the soft interrupts that is charged, 0 or 1
   */
  private void keep(String server, Sample sample, double reference, int share) {
    double processes = sample.processes();
    double softirq = Math.max(0, sample.each(sample.softirq()) - reference);
    figures.of(server, COST).add(processes + share * softirq);
    figures.of(server, PROCESSES).add(processes);
    figures.of(server, SOFTIRQ).add(softirq);
    figures.of(server, LOST).add(sample.lost());
  }
}
