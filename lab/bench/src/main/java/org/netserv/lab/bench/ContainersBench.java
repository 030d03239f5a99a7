// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.netserv.lab.testbed.LabPublisher;
import org.netserv.lab.testbed.LabPublisher.Bundle;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.NodeDaemon;
import org.netserv.lab.testbed.NodeProcesses;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Report;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Step;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.tool.FileServer;
import org.netserv.lab.testbed.topology.TopologyException;
import org.netserv.lab.testbed.topology.TopologyReader;
import org.netserv.ncm.Header;

/**
 * Measures the cost of a publisher on a real node. The cost is the memory of its container, and the
 * time from its SETUP to the first packet that its module answers. A round starts a container and a
 * job for each SETUP. Then it has a spare container wait before each SETUP, then a spare job as
 * well, and at last a bundle that was fetched before.
 */
public final class ContainersBench {
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
  private static final Duration CLASS_DATA = Duration.ofMinutes(3);
  private static final int FIRST_PORT = 20_000;
  private static final int SETTLE_MS = 5000;
  private static final double NANOS_PER_MILLI = 1e6;

  /** Goals in MiB and milliseconds. */
  private static final double MEMORY = 24;

  private static final double START = 250;
  private static final double FROM_SPARE = 50;

  private static final Duration SPARE = Duration.ofMinutes(1);

  /** First uid of the containers that are spares, or were. */
  private static final int FIRST_SPARE = 770_000;

  private static final int SPARES = 256;

  /** Uid of all jobs. */
  private static final int JOB = 690_001;

  /** Results of the SETUPs of one kind of round, in milliseconds. */
  private record Times(
      String kind,
      boolean spares,
      boolean jobs,
      Figures setups,
      Figures answers,
      Map<ModuleTimes.Step, Figures> steps) {
    Times(String kind, boolean spares, boolean jobs) {
      this(kind, spares, jobs, new Figures(), new Figures(), new EnumMap<>(ModuleTimes.Step.class));
    }

    void add(double setup, double answer, Map<ModuleTimes.Step, Double> of) {
      setups.add(setup);
      answers.add(answer);
      of.forEach((step, time) -> steps.computeIfAbsent(step, s -> new Figures()).add(time));
    }
  }

  private final Testbed testbed;
  private final Step step;
  private final int publishers;
  private final int rounds;
  private final ResultTable table =
      new ResultTable("what", "p50", "p99", "most", "goal", "", "load average");
  private final List<String> failed = new ArrayList<>();
  private final Times cold = new Times("cold", false, false);
  private final Times spare = new Times("from the spare", true, false);
  private final Times spareJob = new Times("from both spares", true, true);
  private final Figures waiting = new Figures();
  private final Figures waitingJob = new Figures();

  /** SETUPs that got another container although a spare waited. */
  private int passedOver;

  private ContainersBench(Testbed testbed, Step step, int publishers, int rounds) {
    this.testbed = testbed;
    this.step = step;
    this.publishers = publishers;
    this.rounds = rounds;
  }

  /**
   * Measures, prints and judges.
   *
   * @param publishers number of publishers, each with a container of its own and one module in it
   * @param rounds number of rounds of each kind. A round sets up the module of every publisher and
   *     removes it at the end.
   * @return 0 if every goal is met
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
        for (Times times : List.of(cold, spare, spareJob)) {
          NodeDaemon.reconfigure(testbed, BenchNode.NAME, config(times));
          round(round, user, times);
        }
      }
    }
    ContainerTimes starts = ContainerTimes.read(log());
    show(cold);
    show("container ordered to agent's greeting, cold, ms", starts.cold(), START);
    for (Times times : List.of(spare, spareJob)) {
      if (times.answers.count() > 0) {
        show(times);
      }
    }
    show("container ordered to agent's greeting, from the spare, ms", starts.spare(), FROM_SPARE);
    show("PSS of a spare that waits, MiB", waiting, 0);
    show("PSS of a spare job that waits, MiB", waitingJob, 0);
    if (passedOver > 0) {
      failed.add(passedOver + " SETUPs passed over a spare that waited");
    }
  }

  private String log() throws IOException {
    return Files.readString(
        NodeDaemon.root(testbed, BenchNode.NAME).resolve("var/log/netserv/controller.log"),
        StandardCharsets.ISO_8859_1);
  }

  private void show(Times times) {
    show("SETUP to the first answered packet, " + times.kind + ", ms", times.answers, 0);
    show("SETUP to its answer, " + times.kind + ", ms", times.setups, 0);
    times.steps.forEach(
        (step, figures) -> show("of it: " + step.done() + ", " + times.kind + ", ms", figures, 0));
  }

  private void round(int round, Conversation user, Times times) throws IOException {
    String name = times.kind + ", round " + round + ": ";
    step.begin(name + publishers + " publishers, one after the other");
    List<Bundle> bundles = new ArrayList<>();
    for (int i = 0; i < publishers; i++) {
      awaitSpares(times);
      bundles.add(setup(i, user, times));
    }
    awaitSpares(times);
    Wait.pause(SETTLE_MS);
    if (times.spares) {
      spareMemory();
    } else if (round == 1) {
      memory();
    }
    step.begin(name + "all are removed");
    for (int i = 0; i < publishers; i++) {
      LabPublisher publisher = testbed.publisher(name(i));
      try (NodeClient node = testbed.client(BenchNode.NAME)) {
        require(node.ncm(publisher.remove(bundles.get(i), target())));
      }
    }
    Wait.until("idle containers to stop", CLASS_DATA, () -> containers().isEmpty());
  }

  private void awaitSpares(Times times) throws IOException {
    if (times.spares) {
      Wait.until("a spare container to wait", SPARE, () -> status().path("spares").asInt() > 0);
    }
    if (times.jobs) {
      Wait.until("a spare job to wait", SPARE, () -> status().path("spareJobs").asInt() > 0);
    }
  }

  private Bundle setup(int i, Conversation user, Times times) throws IOException {
    LabPublisher publisher = testbed.publisher(name(i));
    Bundle bundle = publisher.publish(LabHome.dist().resolve("apps/keepalive.jar"));
    Map<Header, String> filter =
        Map.of(Header.FILTER_PORT, Integer.toString(FIRST_PORT + i), Header.FILTER_PROTO, "udp");
    try (NodeClient node = testbed.client(BenchNode.NAME)) {
      user.tell(Integer.toString(FIRST_PORT + i));
      long sent = System.nanoTime();
      require(
          node.ncm(publisher.setup(bundle, target(), target(), filter, Map.of("pass-every", "0"))));
      double setup = (System.nanoTime() - sent) / NANOS_PER_MILLI;
      double answer = (user.answer().get("at") - sent) / NANOS_PER_MILLI;
      if (times.spares && !wasSpare(name(i))) {
        passedOver++;
        return bundle;
      }
      times.add(setup, answer, ModuleTimes.last(log(), name(i)));
    }
    return bundle;
  }

  private boolean wasSpare(String publisher) throws IOException {
    for (JsonNode container : containers()) {
      if (container.path("publisher").asText().equals(publisher)) {
        return container.path("spare").asBoolean();
      }
    }
    throw new LabException("no container of " + publisher + " runs");
  }

  /**
   * Records the memory of the waiting spare: the one host with a spare's uid that has no publisher.
   */
  private void spareMemory() throws IOException {
    List<Long> hosts =
        new ArrayList<>(NodeProcesses.of(testbed, BenchNode.NAME).pids(FIRST_SPARE, SPARES));
    containers().forEach(container -> hosts.remove(container.path("pid").asLong()));
    for (long host : hosts) {
      waiting.add(ProcessMemory.pssMib(host));
    }
    for (long job : NodeProcesses.of(testbed, BenchNode.NAME).pids(JOB, 1)) {
      waitingJob.add(ProcessMemory.pssMib(job));
    }
  }

  /** Shows the memory of the containers: the host process with its JVM, and its pktio. */
  private void memory() throws IOException {
    Figures hosts = new Figures();
    Figures both = new Figures();
    for (JsonNode container : containers()) {
      double host = ProcessMemory.pssMib(container.path("pid").asLong());
      hosts.add(host);
      both.add(host + ProcessMemory.pssMib(container.path("pktio").asLong()));
    }
    if (hosts.count() != publishers) {
      throw new LabException(hosts.count() + " containers run, not " + publishers);
    }
    show("PSS of a container with a module, MiB", hosts, MEMORY);
    show("with its pktio, MiB", both, 0);
  }

  /** Shows one row of figures and compares the median with the goal. A goal of 0 means none. */
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
    options.set("config", config(cold));
    ObjectNode all = options.putObject("publishers");
    for (int i = 0; i < publishers; i++) {
      ObjectNode policy = all.putObject(name(i));
      policy.putArray("prefixes").add(Bench.TARGET_ADDRESS + "/32");
      policy.putArray("ports").add("udp/" + (FIRST_PORT + i));
    }
    return options;
  }

  private static ObjectNode config(Times times) {
    ObjectNode config =
        YAML.createObjectNode()
            .put("spares", times.spares ? 1 : 0)
            .put("spare-jobs", times.jobs ? 1 : 0);
    config.putObject("fetch").putArray("allow").add(Bench.TARGET_ADDRESS + "/32");
    return config;
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
      List<String> names = files.map(file -> file.getFileName().toString()).toList();
      return Stream.of("host-", "job-")
          .allMatch(kind -> names.stream().anyMatch(name -> name.startsWith(kind)));
    }
  }

  private JsonNode containers() throws IOException {
    return status().path("containers");
  }

  private JsonNode status() throws IOException {
    try (NodeClient node = testbed.client(BenchNode.NAME)) {
      return node.status();
    }
  }

  private void require(NodeClient.Answer answer) throws IOException {
    if (!answer.running()) {
      throw new LabException(
          answer + "\n" + NodeDaemon.controllerLog(NodeDaemon.root(testbed, BenchNode.NAME), 20));
    }
  }
}
