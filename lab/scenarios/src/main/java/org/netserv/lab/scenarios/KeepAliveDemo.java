// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.util.Locale;
import org.netserv.lab.testbed.NodeProcesses;
import org.netserv.lab.testbed.ProviderDaemon;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.CpuTime;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.Report;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Step;
import org.netserv.lab.testbed.base.TimeChart;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.capture.PacketCounter;
import org.netserv.lab.testbed.traffic.SipUsers;

/**
 * Shows a SIP provider's gain by the KeepAlive Responder: messages that reach its Kamailio, and
 * Kamailio's processor time, while agents behind a NAT send keep-alives without a pause. {@code
 * netserv provider} is started in the middle, and deploys the module by the agents' own
 * keep-alives. One of the agents is called before and after, through the NAT, which forgets UDP
 * bindings fast.
 *
 * <p>Counts are those of the kernel in the server's, the NAT's and the users' namespaces. No part
 * of the result comes from the provider or from the node.
 */
final class KeepAliveDemo implements Demos.Play {
  private static final String ADDRESS = "10.0.0.10";
  private static final String KEPT = "kept";
  private static final String IDLE = "idle";
  private static final int FIRST_PORT = 5071;
  private static final int PERIOD = 1000;
  private static final int LIFETIME_SECONDS = 3;
  private static final int FOREVER = 100_000;
  private static final int TTL = 600;
  private static final int MOST_SECONDS = 60;
  private static final String MESSAGES = "messages/s at the server";
  private static final String PROCESSOR = "processor time of Kamailio, ms/s";

  private final int agents;
  private final int seconds;
  private final int warm; // seconds for which the module runs before it is measured
  private final int calls;
  private final double enough; // of the keep-alives of a phase, seen where they are expected
  private final TimeChart chart = new TimeChart("Keep-alives of agents behind a NAT");
  private Testbed testbed;
  private Step step;
  private PacketCounter sent;
  private PacketCounter answered;
  private PacketCounter reached;
  private CalledAgents callees;
  private int second;

  /**
   * One phase.
   *
   * @param sent keep-alives that came to the NAT
   * @param answered answers that came to the NAT
   * @param reached messages that came to the server
   * @param kamailio microseconds of processor time
   * @param edge microseconds of all processes of the node
   * @param taken calls
   */
  private record Phase(
      long sent, long answered, long reached, double kamailio, double edge, int taken) {
    Phase with(int calls) {
      return new Phase(sent, answered, reached, kamailio, edge, calls);
    }

    /** Returns the share of answered keep-alives. */
    double share() {
      return (double) answered / Math.max(1, sent);
    }
  }

  KeepAliveDemo(boolean quick) {
    agents = quick ? 300 : 1000;
    seconds = quick ? 4 : 12;
    warm = quick ? 1 : 4;
    calls = quick ? 1 : 3;
    // A busy node lets a batch of 64 pass to the server now and then, as it should: 5 % of 4 s.
    enough = quick ? 0.9 : 0.99;
  }

  @Override
  public String name() {
    return "keepalive";
  }

  @Override
  public String topology() {
    return "provider-demo";
  }

  @Override
  public String users(String node) {
    return node.equals("west") ? "office" : "home";
  }

  @Override
  public TimeChart chart() {
    return chart;
  }

  @Override
  public boolean play(Testbed bed, Step steps, Report report) throws IOException {
    testbed = bed;
    step = steps;
    sent = PacketCounter.install(bed, "home", "lan", 5060);
    answered = PacketCounter.of(bed, "home", "-s", ProviderStage.SERVER + "/32");
    reached = PacketCounter.install(bed, "server", "eth0", 5060);
    callees = new CalledAgents(bed, "user", ADDRESS, ProviderStage.SERVER);
    CalledAgents.forgetBindings(bed, "home", LIFETIME_SECONDS);
    ProviderStage stage = ProviderStage.prepare(bed, TTL);
    step.begin(
        "%d agents behind a NAT that forgets bindings after %d s register, and send a keep-alive each second"
            .formatted(agents + 1, LIFETIME_SECONDS));
    Process users =
        new SipUsers(bed, "user", ADDRESS, "nat", agents, PERIOD)
            .start(ProviderStage.SERVER, FOREVER, false);
    Tool kept = callees.agent(KEPT, FIRST_PORT, FOREVER, PERIOD);
    Tool idle = callees.agent(IDLE, FIRST_PORT + 1, 1, FOREVER);
    Wait.pause(2L * PERIOD);
    try (ProviderDaemon daemon = stage.daemon()) {
      step.begin(seconds + " s without a module: Kamailio answers; then calls");
      Phase before = measure("Kamailio answers");
      boolean idleTaken = callees.called(IDLE);
      idle.process().destroy();
      step.begin("start netserv provider beside Kamailio: it deploys the module at the edge");
      chart.mark(second, "netserv provider starts");
      daemon.start();
      covered(stage);
      step.begin(seconds + " s with the module: the edge answers; then calls");
      Phase after = measure("the edge answers");
      show(report, before, after, idleTaken);
      report
          .out()
          .printf("%n  %d agents behind one edge: %d SETUP%n", agents + 1, stage.counter("setups"));
      return good(before, after, idleTaken) && stage.counter("setups") == 1;
    } finally {
      users.destroy();
      kept.process().destroy();
    }
  }

  /** Waits until the edge runs the module, and charts the seconds until then. */
  private void covered(ProviderStage stage) throws IOException {
    for (int waited = 0; waited < MOST_SECONDS; waited++) {
      second();
      if (stage.covered() == 1) {
        for (int i = 0; i < warm; i++) {
          second();
        }
        return;
      }
    }
    throw new LabException("no edge in " + MOST_SECONDS + " s: " + stage.daemon().status());
  }

  private CpuTime kamailio() throws IOException {
    return CpuTime.of(testbed.topology().name(), "server", "kamailio");
  }

  private CpuTime edge() throws IOException {
    return CpuTime.of(NodeProcesses.of(testbed, "east").all());
  }

  /** Lets a second pass and charts it. */
  private void second() throws IOException {
    long packets = reached.read();
    CpuTime processor = kamailio();
    long began = System.nanoTime();
    Wait.pause(1000);
    double passed = (System.nanoTime() - began) / 1e9;
    chart.add(MESSAGES, second, Math.rint((reached.read() - packets) / passed));
    chart.add(PROCESSOR, second, kamailio().microsSince(processor) / 1000 / passed);
    second++;
  }

  private Phase measure(String name) throws IOException {
    chart.mark(second, name);
    CpuTime kamailio = kamailio();
    CpuTime edge = edge();
    long[] before = sent.readWith(answered);
    long reachedBefore = reached.read();
    for (int i = 0; i < seconds; i++) {
      second();
    }
    long[] after = sent.readWith(answered);
    Phase counted =
        new Phase(
            after[0] - before[0],
            after[1] - before[1],
            reached.read() - reachedBefore,
            kamailio().microsSince(kamailio),
            edge().microsSince(edge),
            0);
    return counted.with(calls());
  }

  /** Calls an agent once in each binding lifetime, and returns how often it took the call. */
  private int calls() throws IOException {
    int taken = 0;
    for (int i = 0; i < calls; i++) {
      Wait.pause(1000L * LIFETIME_SECONDS);
      taken += callees.called(KEPT) ? 1 : 0;
    }
    return taken;
  }

  private void show(Report report, Phase before, Phase after, boolean idleTaken) {
    ResultTable table = new ResultTable("", "Kamailio answers", "the edge answers");
    table.row("keep-alives each second", perSecond(before.sent()), perSecond(after.sent()));
    table.row("answers each second", perSecond(before.answered()), perSecond(after.answered()));
    table.row(
        "of them seen by the server", perSecond(before.reached()), perSecond(after.reached()));
    table.row(
        "processor time of Kamailio, ms/s", millis(before.kamailio()), millis(after.kamailio()));
    table.row("processor time of the edge node, ms/s", millis(before.edge()), millis(after.edge()));
    table.row(
        "calls taken, one in each binding lifetime",
        of(before.taken(), calls),
        of(after.taken(), calls));
    table.row("the same of an agent without keep-alives", of(idleTaken ? 1 : 0, 1), "");
    report.show(table);
  }

  private String perSecond(long count) {
    return String.format(Locale.ROOT, "%.0f", (double) count / seconds);
  }

  private String millis(double micros) {
    return String.format(Locale.ROOT, "%.0f", micros / 1000 / seconds);
  }

  private static String of(int taken, int all) {
    return taken + " of " + all;
  }

  private boolean good(Phase before, Phase after, boolean idleTaken) {
    return before.reached() >= enough * before.sent()
        && after.reached() <= (1 - enough) * after.sent()
        && after.share() >= enough
        && before.taken() == calls
        && after.taken() == calls
        && !idleTaken;
  }
}
