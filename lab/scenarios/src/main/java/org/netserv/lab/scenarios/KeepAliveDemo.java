// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.netserv.lab.testbed.ProviderDaemon;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.Chart;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Namespaces;
import org.netserv.lab.testbed.base.Report;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Step;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.capture.Capture;
import org.netserv.lab.testbed.capture.KeepAlives;
import org.netserv.lab.testbed.capture.PacketCounter;
import org.netserv.lab.testbed.topology.Topology;
import org.netserv.lab.testbed.topology.TopologyException;
import org.netserv.lab.testbed.topology.TopologyReader;
import org.netserv.lab.testbed.traffic.SipUsers;

/**
 * Shows a SIP provider's gain by {@code netserv provider}: messages that reach the server each
 * second, and the CPU time of its Kamailio, while agents send keep-alives without a pause. The
 * provider is started in the middle, and deploys the module by the agents' own keep-alives. The
 * kernel at the server's interface, the kernel's accounting of Kamailio and a capture on the users'
 * link count, and no part of the result comes from the provider or the nodes.
 */
public final class KeepAliveDemo {
  private static final int TTL = 600;
  private static final int PERIOD = 1000;
  private static final int FOREVER = 100_000;
  private static final int MOST_SECONDS = 60;
  private static final long TICKS_PER_SECOND = 100;
  private static final double ENOUGH = 0.99;

  private final int agents;
  private final int seconds;
  private final Report report;
  private final PrintStream out;
  private final Step step;
  private final Chart chart = new Chart();
  private Testbed testbed;
  private PacketCounter server;

  /** One phase: seconds, packets at the server, Kamailio's ticks, and the users' keep-alives. */
  private record Phase(String name, long seconds, long packets, long ticks, KeepAlives user) {}

  private KeepAliveDemo(int agents, int seconds, Report report) {
    this.agents = agents;
    this.seconds = seconds;
    this.report = report;
    this.out = report.out();
    this.step = new Step(out);
  }

  /**
   * Runs the demo and prints the chart, the table and the verdict.
   *
   * @return 0 only if the verdict is good
   */
  public static int run(boolean quick, Report report) {
    return new KeepAliveDemo(quick ? 100 : 500, quick ? 6 : 20, report).run();
  }

  private int run() {
    try {
      Topology topology = TopologyReader.read(LabHome.file("topologies/provider.yaml"));
      step.begin(
          "build the testbed: Kamailio - core - two edge nodes - NAT - " + agents + " agents");
      try (Testbed bed = Testbed.temporary(topology, out)) {
        testbed = bed;
        server = PacketCounter.install(bed, "server", "eth0", 5060);
        return play();
      }
    } catch (TopologyException | IOException e) {
      report.failed(e.getMessage());
      return step.failed(e);
    }
  }

  private int play() throws IOException {
    ProviderStage stage = ProviderStage.prepare(testbed, TTL);
    step.begin("the agents register, and send a keep-alive each second");
    Process users =
        new SipUsers(testbed, "user", "10.0.0.10", "nat", agents, PERIOD)
            .start(ProviderStage.SERVER, FOREVER, false);
    Wait.pause(4L * PERIOD);
    try (ProviderDaemon daemon = stage.daemon()) {
      step.begin("%d seconds without a provider".formatted(seconds));
      Phase before = measure("without", "");
      step.begin("start netserv provider beside Kamailio");
      daemon.start();
      wanted(stage);
      step.begin("%d seconds with the module at the edge".formatted(seconds));
      Phase after = measure("at the edge", "at the edge");
      return verdict(before, after, stage);
    } finally {
      users.destroy();
    }
  }

  /** Waits until the edge answers, and charts the seconds until then. */
  private void wanted(ProviderStage stage) throws IOException {
    for (int second = 0; second < MOST_SECONDS; second++) {
      second("provider started");
      if (stage.covered() == 1) {
        return;
      }
    }
    throw new LabException("no edge node in " + MOST_SECONDS + " s: " + stage.daemon().status());
  }

  private long second(String note) throws IOException {
    long before = server.read();
    Wait.pause(1000);
    long packets = server.read() - before;
    chart.add(packets, note);
    return packets;
  }

  private Phase measure(String name, String note) throws IOException {
    Capture capture =
        Capture.start(testbed, "user", "eth0", name.replace(' ', '-'), "udp port 5060");
    long ticks = kamailioTicks();
    long packets = 0;
    for (int i = 0; i < seconds; i++) {
      packets += second(note);
    }
    return new Phase(name, seconds, packets, kamailioTicks() - ticks, capture.finish());
  }

  /** Returns the CPU time of all processes of Kamailio, in hundredths of a second. */
  private long kamailioTicks() throws IOException {
    long ticks = 0;
    String namespace = Namespaces.name(testbed.topology().name(), "server");
    for (ProcessHandle process : Namespaces.processes(List.of(namespace))) {
      String stat = read(process.pid());
      if (stat.contains("(kamailio)")) {
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        ticks += Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
      }
    }
    return ticks;
  }

  private static String read(long pid) {
    try {
      return Files.readString(Path.of("/proc/" + pid + "/stat"));
    } catch (IOException e) {
      return ""; // the process has ended
    }
  }

  private int verdict(Phase before, Phase after, ProviderStage stage) throws IOException {
    out.println();
    out.print(chart.text("SIP messages that reached the server, each second"));
    report.keep(chart.table("messages at the server"));
    ResultTable table =
        new ResultTable(
            "keep-alives answered",
            "sent",
            "answered %",
            "messages/s at the server",
            "Kamailio CPU ms/s",
            "rtt p50 ms");
    for (Phase phase : List.of(before, after)) {
      KeepAlives user = phase.user();
      table.row(
          phase.name().equals("without") ? "by the server" : "at the edge",
          user.sent(),
          "%.2f".formatted(answered(user)),
          phase.packets() / phase.seconds(),
          "%.1f".formatted(1000.0 * phase.ticks() / TICKS_PER_SECOND / phase.seconds()),
          "%.2f".formatted(user.rtt().percentile(50)));
    }
    report.show(table);
    out.printf("%n  %d agents at one edge: %d SETUP%n", agents, stage.counter("setups"));
    boolean good =
        before.packets() >= ENOUGH * before.user().sent()
            && after.packets() == 0
            && answered(after.user()) >= 100 * ENOUGH
            && stage.counter("setups") == 1;
    return report.verdict(good, good ? "it holds." : "it does not hold.");
  }

  /** Returns the share of answered keep-alives in percent. */
  private static double answered(KeepAlives user) {
    return 100.0 * user.answered() / Math.max(1, user.sent());
  }
}
