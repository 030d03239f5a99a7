// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.relay;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.netserv.lab.bench.BenchTestbed;
import org.netserv.lab.bench.FigureTable;
import org.netserv.lab.bench.mlffr.ChannelRate;
import org.netserv.lab.testbed.Coturn;
import org.netserv.lab.testbed.LabPublisher;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.NodeProcesses;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.VethCard;
import org.netserv.lab.testbed.base.CpuTime;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Report;
import org.netserv.lab.testbed.base.Step;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.tool.RelayLoad;

/**
 * Measures the media relay in its container beside coturn on the same node, in turn, by the same
 * clients and the same peer over the same interfaces. The module takes four turns. In two of them
 * it relays itself, and in two it gives its channels to the kernel. In one of each two the node
 * forwards through its stack, and in the other one past it.
 *
 * <p>The module and coturn are charged with their processes. Relaying in the kernel is charged with
 * the container, and with the soft interrupts of the machine beyond those of packets that the node
 * forwards between the same hosts. Those of packets past the stack are shown as a whole, because a
 * packet that is forwarded takes more.
 */
public final class RelayBench {
  private static final String ADDRESS = "198.51.101.1";
  private static final String PEER = "203.0.113.10";
  private static final int MIRROR = 3480;
  private static final int LENGTH = 160;
  private static final int PORT = 3478;
  private static final int SECOND_PORT = 3477;
  private static final int COTURN_PORT = 3479;
  private static final int COTURN_FIRST = 33_000;
  private static final int COTURN_LAST = 59_999;
  private static final String SECRET = "lab-secret";
  private static final String PUBLISHER = "sip";
  private static final String SECOND = "second";
  private static final String OURS = "Media Relay";
  private static final String OFFLOADED = "Media Relay, offloaded";
  private static final String OURS_DIRECT = "Media Relay, past the stack";
  private static final String DIRECT = "Media Relay, offloaded past the stack";
  private static final String COTURN = "coturn";
  private static final String COST = "CPU per relayed packet, us";
  private static final String SOFTIRQ = "soft interrupts of the machine per packet, us";

  /** With a limit of bandwidth, whichever, the module offers no channel to the kernel. */
  private static final Map<String, String> MODULE_ALONE = Map.of("mbit", "100000");

  private static final Map<String, String> OF_THE_SECOND =
      Map.of("mbit", "100000", "ports", Integer.toString(SECOND_PORT));

  private static final double GOAL_MICROS = 6;
  private static final double GOAL_OFFLOADED_MICROS = 1.5;

  private static final String CLIENTS = "198.18.0.0/16";
  private static final String LOSS_FREE = "loss-free relayed packets/s, one processor";
  private static final String COST_BUSY = "CPU at 60,000 relayed packets/s, us";
  private static final String COST_WHOLE = "the same with the thread that receives, us";

  /** Rate at which coturn was measured elsewhere. */
  private static final int RELAYED_PER_SECOND = 60_000;

  private static final double GOAL_RATIO = 5;

  private final RelayPlan plan;
  private final Report report;
  private final Step step;
  private final Testbed testbed;
  private final FigureTable figures = new FigureTable();
  private final Map<String, LabPublisher.Bundle> bundles = new TreeMap<>();
  private final FastPath fastPath;
  private double forwarded; // soft interrupts of a packet that the node only forwards
  private int tools;
  private int searches;

  private RelayBench(RelayPlan plan, Report report, Step step, Testbed testbed) {
    this.plan = plan;
    this.report = report;
    this.step = step;
    this.testbed = testbed;
    this.fastPath = new FastPath(testbed);
  }

  /** Measures, prints and judges. Returns 0 if the goal is met. */
  public static int run(RelayPlan plan, Report report) {
    return BenchTestbed.measure(
        "relay-bench",
        report,
        (testbed, step) -> new RelayBench(plan, report, step, testbed).measure());
  }

  private int measure() throws IOException {
    try {
      measureAll();
    } finally {
      report.show(figures.table());
    }
    return verdict();
  }

  private void measureAll() throws IOException {
    step.begin("SETUP of the relay; start of coturn and of the peer");
    Tool.start(
        testbed,
        "peer",
        "mirror",
        List.of("turnutils_peer", "-L", PEER, "-p", Integer.toString(MIRROR)));
    wholeChecksums();
    testbed.run("user", "ip", "route", "add", "local", CLIENTS, "dev", "lo");
    RelayServer ours = ours(OURS, PUBLISHER, PORT, MODULE_ALONE);
    RelayServer coturn = coturn();
    List<RelayServer> servers = new ArrayList<>(List.of(ours, coturn));
    if (plan.offloaded()) {
      RelayServer offloaded = ours(OFFLOADED, PUBLISHER, PORT, Map.of());
      servers.add(offloaded);
      servers.add(offloaded.forwarding(DIRECT, FastPath.DIRECT));
      servers.add(ours.forwarding(OURS_DIRECT, FastPath.DIRECT));
    }
    for (int round = 1; round <= plan.rounds() && plan.measureMillis() > 0; round++) {
      step.begin("round " + round + " of " + plan.rounds());
      direct();
      for (RelayServer server : servers) {
        packets(server);
      }
    }
    if (plan.lossFree()) {
      step.begin("loss-free rates on one processor");
      for (int round = 1; round <= plan.rounds(); round++) {
        for (RelayServer server : servers) {
          lossFree(server);
        }
      }
    }
    if (plan.allocations() > 0) {
      step.begin("memory of two publishers' relays, and of coturn");
      turn(ours);
      memory(List.of(ours, ours(OURS, SECOND, SECOND_PORT, OF_THE_SECOND)));
      memory(List.of(coturn));
    }
  }

  /** Gives the hosts cards: the kernel's relay takes packets without a checksum for unfinished. */
  private void wholeChecksums() throws IOException {
    for (String host : List.of("user", "peer")) {
      VethCard.of(testbed, host).addsChecksums().takesRedirected();
    }
  }

  private int verdict() {
    String cost = plan.lossFree() ? COST_BUSY : COST;
    double module = figures.of(OURS, cost).median();
    double least = plan.offloaded() ? figures.of(OURS_DIRECT, cost).median() : module;
    boolean met = Math.min(module, least) <= GOAL_MICROS;
    List<String> said = new ArrayList<>();
    said.add(goal("us a packet that the module relays", module, GOAL_MICROS));
    if (plan.offloaded()) {
      said.add(goal("of it past the stack", least, GOAL_MICROS));
    }
    if (plan.offloaded() && plan.measureMillis() > 0) {
      double kernel = figures.of(OFFLOADED, COST).median();
      met &= kernel <= GOAL_OFFLOADED_MICROS;
      said.add(goal("one that the kernel relays", kernel, GOAL_OFFLOADED_MICROS));
    }
    if (plan.lossFree()) {
      double coturn = figures.of(COTURN, LOSS_FREE).median();
      double stack = figures.of(OFFLOADED, LOSS_FREE).median() / coturn;
      double direct = figures.of(DIRECT, LOSS_FREE).median() / coturn;
      met &= direct >= GOAL_RATIO;
      said.add(String.format(Locale.ROOT, "%.1f x coturn's rate through the stack", stack));
      said.add(goal("x past it", direct, GOAL_RATIO));
    }
    return report.verdict(met, String.join(", ", said) + ".");
  }

  private static String goal(String what, double is, double goal) {
    return String.format(Locale.ROOT, "%.1f %s (goal: %.1f)", is, what, goal);
  }

  /** Has the node run a publisher's module, and returns it as a server with these properties. */
  private RelayServer ours(String name, String publisher, int port, Map<String, String> properties)
      throws IOException {
    if (!bundles.containsKey(publisher)) {
      Path jar = LabHome.dist().resolve("apps/media-relay.jar");
      bundles.put(publisher, testbed.publisher(publisher).publish(jar));
    }
    serve(publisher, properties);
    long pid = NodeProcesses.of(testbed, "node", publisher).pid("container");
    return new RelayServer(
        name, port, pid, publisher, properties, properties.isEmpty(), FastPath.KERNEL);
  }

  /** Gives a module properties, with which it starts anew if they are others. */
  private void serve(String publisher, Map<String, String> more) throws IOException {
    Map<String, String> properties = new TreeMap<>(more);
    properties.put("secret", SECRET);
    properties.put("strangers-per-second", "0"); // all clients have one address
    InetAddress to = testbed.topology().node("server").address(false).ip();
    LabPublisher sender = testbed.publisher(publisher);
    try (NodeClient node = testbed.client("node")) {
      NodeClient.Answer answer =
          node.ncm(sender.setup(bundles.get(publisher), to, to, Map.of(), properties));
      if (!answer.running()) {
        throw new LabException("refused: " + answer);
      }
    }
    Wait.pause(2000);
  }

  /** Makes the server ready for its turn. */
  private void turn(RelayServer server) throws IOException {
    fastPath.forward(server.forward());
    if (server.publisher() != null) {
      serve(server.publisher(), server.properties());
    }
  }

  private RelayServer coturn() throws IOException {
    Tool tool =
        Coturn.start(testbed, "node", ADDRESS, COTURN_PORT, SECRET, COTURN_FIRST, COTURN_LAST);
    Wait.pause(2000);
    long pid =
        tool.process()
            .descendants()
            .map(ProcessHandle::pid)
            .reduce((first, last) -> last)
            .orElse(tool.process().pid());
    return new RelayServer(COTURN, COTURN_PORT, pid, null, Map.of(), false, FastPath.KERNEL);
  }

  private Tool load(
      String server, int port, int clients, int perSecond, int warm, int time, Object... first)
      throws IOException {
    List<Object> arguments =
        new ArrayList<>(
            List.of(server, port, SECRET, PEER, MIRROR, clients, perSecond, LENGTH, warm, time));
    arguments.addAll(List.of(first));
    return Tool.start(testbed, "user", "load-" + ++tools, RelayLoad.class, arguments.toArray());
  }

  private void direct() throws IOException {
    Tool tool = load("-", 0, plan.clients(), plan.perSecond(), 500, plan.measureMillis() / 2);
    tool.await("measuring");
    double softirq = CpuTime.softirqMicros();
    tool.await("measured");
    softirq = CpuTime.softirqMicros() - softirq;
    Map<String, Long> result = tool.result(60);
    forwarded = softirq / (result.get("sent") + result.get("back"));
    figures.of("no relay", SOFTIRQ).add(forwarded);
    figures.of("no relay", "round trip p50, us").add(result.get("median"));
    figures.of("no relay", "round trip p99, us").add(result.get("tail"));
  }

  private void packets(RelayServer server) throws IOException {
    turn(server);
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
    double softirqBefore = CpuTime.softirqMicros();
    long waitsBefore = server.waits();
    tool.await("measured");
    long waits = server.waits() - waitsBefore;
    double used = server.processorMicros() - before;
    double softirqUsed = CpuTime.softirqMicros() - softirqBefore;
    Map<String, Long> result = tool.result(60);
    double relayed = result.get("sent") + result.get("back");
    double softirq = Math.max(0, softirqUsed / relayed - forwarded);
    boolean inKernel = server.inKernel();
    if (!server.inKernel() || server.forward().equals(FastPath.KERNEL)) {
      figures.of(server.name(), COST).add(used / relayed + (inKernel ? softirq : 0));
    }
    figures.of(server.name(), SOFTIRQ).add(softirqUsed / relayed);
    if (!inKernel && waits > 0) {
      figures.of(server.name(), "relayed packets between two waits").add(relayed / waits);
    }
    figures.of(server.name(), "round trip p50, us").add(result.get("median"));
    figures.of(server.name(), "round trip p99, us").add(result.get("tail"));
    figures
        .of(server.name(), "lost, %")
        .add(100.0 * (result.get("sent") - result.get("back")) / result.get("sent"));
  }

  /** Finds the rate of ChannelData that a server relays on one processor without loss. */
  private void lossFree(RelayServer server) throws IOException {
    turn(server);
    String client = "198.18." + searches++ + ".64"; // another one: allocations outlive clients
    Tool clients = load(ADDRESS, server.port(), ChannelRate.CLIENTS, 0, 0, 0, client);
    String log = "load-" + tools;
    Wait.until("the channels", Duration.ofMinutes(1), () -> holds(clients, log));
    Wait.pause(1000); // the kernel gets the channels
    ChannelRate rate = new ChannelRate(testbed, client, ADDRESS, RelayLoad.CHANNEL, MIRROR);
    boolean inKernel = server.inKernel();
    ChannelRate.Found found =
        rate.search(
            server.port(),
            inKernel ? 0 : server.pid(),
            !server.inKernel() && server.publisher() != null,
            RELAYED_PER_SECOND);
    figures.of(server.name(), LOSS_FREE).add(found.lossFree());
    if (!Double.isNaN(found.whole())) {
      figures.of(server.name(), COST_WHOLE).add(found.whole());
      if (!inKernel) {
        figures.of(server.name(), COST_BUSY).add(found.process());
      }
    }
    clients.process().destroy();
  }

  /** Holds as many allocations as the plan has at each of these servers, all at the same time. */
  private void memory(List<RelayServer> servers) throws IOException {
    String name = servers.get(0).name();
    int each = plan.allocations() / servers.size();
    double more = 0;
    List<Tool> holders = new ArrayList<>();
    for (RelayServer server : servers) {
      long before = server.residentKib();
      Tool holder = load(ADDRESS, server.port(), Math.min(each, plan.most()), 0, 0, 0);
      String log = "load-" + tools;
      holders.add(holder);
      Wait.until("the allocations", Duration.ofMinutes(5), () -> holds(holder, log));
      more += server.residentKib() - before;
    }
    int held = servers.size() * Math.min(each, plan.most());
    figures.of(name, "allocations held").add(held);
    figures.of(name, "memory per allocation, KiB").add(more / held);
    holders.forEach(holder -> holder.process().destroy());
  }

  private boolean holds(Tool holder, String log) throws LabException {
    if (!holder.running()) {
      throw new LabException("no allocations: " + testbed.tail("user", log, 5));
    }
    return testbed.tail("user", log, 5).contains("holding");
  }
}
