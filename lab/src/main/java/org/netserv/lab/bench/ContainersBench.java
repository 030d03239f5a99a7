// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.netserv.lab.CommandException;
import org.netserv.lab.LabHome;
import org.netserv.lab.Report;
import org.netserv.lab.Step;
import org.netserv.lab.Table;
import org.netserv.lab.Testbed;
import org.netserv.lab.Wait;
import org.netserv.lab.node.LabPublisher;
import org.netserv.lab.node.LabPublisher.Bundle;
import org.netserv.lab.node.NodeClient;
import org.netserv.lab.node.NodeDaemon;
import org.netserv.lab.tool.FileServer;
import org.netserv.lab.topology.TopologyException;
import org.netserv.lab.topology.TopologyReader;
import org.netserv.nslp.Header;

/**
 * What a publisher costs on a real node: the memory of its container, and the time from its SETUP
 * to the first packet that its module answers.
 */
public final class ContainersBench {
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
  private static final Duration CLASS_DATA = Duration.ofMinutes(3);
  private static final int FIRST_PORT = 20_000;
  private static final int SETTLE_MS = 5000;
  private static final double NANOS_PER_MILLI = 1e6;

  /** Goals: MiB and milliseconds. */
  private static final double MEMORY = 24;

  private static final double START = 250;

  private final Testbed testbed;
  private final Step step;
  private final int publishers;
  private final int rounds;
  private final Table table = new Table("what", "p50", "p99", "most", "goal", "", "load average");
  private final List<String> failed = new ArrayList<>();
  private final Figures setups = new Figures();
  private final Figures answers = new Figures();

  private ContainersBench(Testbed testbed, Step step, int publishers, int rounds) {
    this.testbed = testbed;
    this.step = step;
    this.publishers = publishers;
    this.rounds = rounds;
  }

  /**
   * Measures, prints, judges; 0 only if every goal is met.
   *
   * @param publishers each with a container of its own, and one module in it
   * @param rounds in each of which every publisher's module is set up, and removed at its end
   */
  public static int run(int publishers, int rounds, Report report) {
    Step step = new Step(report.out());
    step.begin("build the testbed bench");
    try (Testbed testbed =
        Testbed.temporary(
            TopologyReader.read(LabHome.file("topologies/bench.yaml")), report.out())) {
      ContainersBench bench = new ContainersBench(testbed, step, publishers, rounds);
      bench.measure();
      report.show(bench.table);
      boolean met = bench.failed.isEmpty();
      return report.verdict(
          met, met ? "all goals are met." : "missed: " + String.join("; ", bench.failed));
    } catch (TopologyException | IOException e) {
      return report.verdict(step.failed(e) == 0, e.getMessage());
    }
  }

  private void measure() throws IOException {
    testbed.spawnTool(
        "target", "files", FileServer.class, 80, testbed.state().resolve("bundles").toString());
    NodeDaemon.start(testbed, testbed.topology().node(BenchNode.NAME), options(), List.of())
        .await();
    step.begin("class data is made");
    Wait.until("the class data archive", CLASS_DATA, this::hasClassData);
    try (Conversation user =
        Conversation.start(
            testbed, Bench.LOAD, "first-answer", FirstAnswer.class, Bench.TARGET_ADDRESS)) {
      for (int round = 1; round <= rounds; round++) {
        round(round, user);
      }
    }
    show("SETUP to the first answered packet, cold, ms", answers, 0);
    show("SETUP to its answer, ms", setups, 0);
    Figures starts =
        ContainerTimes.read(
            NodeDaemon.root(testbed, BenchNode.NAME).resolve("var/log/netserv/controller.log"));
    show("of it: container ordered to agent's greeting, ms", starts, START);
  }

  private void round(int round, Conversation user) throws IOException {
    step.begin("round " + round + ": " + publishers + " publishers, one after the other");
    List<Bundle> bundles = new ArrayList<>();
    for (int i = 0; i < publishers; i++) {
      bundles.add(setup(i, user));
    }
    if (round == 1) {
      Wait.pause(SETTLE_MS);
      memory();
    }
    step.begin("round " + round + ": all are removed");
    for (int i = 0; i < publishers; i++) {
      LabPublisher publisher = testbed.publisher(name(i));
      try (NodeClient node = testbed.client(BenchNode.NAME)) {
        require(node.ncm(publisher.remove(bundles.get(i), target())));
      }
    }
    Wait.until("idle containers to stop", CLASS_DATA, () -> containers().isEmpty());
  }

  private Bundle setup(int i, Conversation user) throws IOException {
    LabPublisher publisher = testbed.publisher(name(i));
    Bundle bundle = publisher.publish(LabHome.dist().resolve("apps/keepalive.jar"));
    Map<Header, String> filter =
        Map.of(Header.FILTER_PORT, Integer.toString(FIRST_PORT + i), Header.FILTER_PROTO, "udp");
    try (NodeClient node = testbed.client(BenchNode.NAME)) {
      user.tell(Integer.toString(FIRST_PORT + i));
      long sent = System.nanoTime();
      require(
          node.ncm(publisher.setup(bundle, target(), target(), filter, Map.of("pass-every", "0"))));
      setups.add((System.nanoTime() - sent) / NANOS_PER_MILLI);
      answers.add((user.answer().get("at") - sent) / NANOS_PER_MILLI);
    }
    return bundle;
  }

  /** The container's host process with its JVM, and its pktio. */
  private void memory() throws IOException {
    Figures hosts = new Figures();
    Figures both = new Figures();
    for (JsonNode container : containers()) {
      double host = ProcessMemory.pssMib(container.path("pid").asLong());
      hosts.add(host);
      both.add(host + ProcessMemory.pssMib(container.path("pktio").asLong()));
    }
    if (hosts.count() != publishers) {
      throw new CommandException(hosts.count() + " containers run, not " + publishers);
    }
    show("PSS of a container with a module, MiB", hosts, MEMORY);
    show("with its pktio, MiB", both, 0);
  }

  /** Its median is held against the goal; 0 = there is none. */
  private void show(String what, Figures figures, double goal) {
    boolean met = goal == 0 || figures.median() <= goal;
    table.row(
        what + " (n = " + figures.count() + ")",
        text(figures.median()),
        text(figures.percentile(99)),
        text(figures.percentile(100)),
        goal == 0 ? "" : text(goal),
        goal == 0 ? "" : met ? "ok" : "MISSED",
        Bench.machineLoad());
    if (!met) {
      failed.add(what + ": " + text(figures.median()) + ", not " + text(goal));
    }
  }

  private static String text(double value) {
    return String.format(Locale.ROOT, value < 100 ? "%.1f" : "%.0f", value);
  }

  private ObjectNode options() {
    ObjectNode options = YAML.createObjectNode();
    ObjectNode config = options.putObject("config");
    config.putObject("fetch").putArray("allow").add(Bench.TARGET_ADDRESS + "/32");
    ObjectNode all = options.putObject("publishers");
    for (int i = 0; i < publishers; i++) {
      ObjectNode policy = all.putObject(name(i));
      policy.putArray("prefixes").add(Bench.TARGET_ADDRESS + "/32");
      policy.putArray("ports").add("udp/" + (FIRST_PORT + i));
    }
    return options;
  }

  private static String name(int i) {
    return "p" + (i + 1);
  }

  private static InetAddress target() throws IOException {
    return InetAddress.getByName(Bench.TARGET_ADDRESS);
  }

  private boolean hasClassData() throws IOException {
    Path directory = NodeDaemon.root(testbed, BenchNode.NAME).resolve("var/lib/netserv/cds");
    try (Stream<Path> files = Files.list(directory)) {
      return files.anyMatch(file -> file.toString().endsWith(".jsa") && !file.endsWith("new.jsa"));
    }
  }

  private JsonNode containers() throws IOException {
    try (NodeClient node = testbed.client(BenchNode.NAME)) {
      return node.status().path("containers");
    }
  }

  private void require(NodeClient.Answer answer) throws IOException {
    if (!answer.running()) {
      throw new CommandException(
          answer + "\n" + NodeDaemon.controllerLog(NodeDaemon.root(testbed, BenchNode.NAME), 20));
    }
  }
}
