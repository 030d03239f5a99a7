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
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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
import org.netserv.ncm.Activate;
import org.netserv.ncm.Header;
import org.netserv.ncm.Ncm;

/**
 * Measures the cost of a publisher on a real node. The cost is the memory of its container, and the
 * time from its SETUP to the first packet that its module answers. A round starts a container and a
 * job for each SETUP. Then it has a spare container wait before each SETUP, then a spare job as
 * well, then a bundle that was fetched before, then one that a container has installed as well. The
 * first three kinds follow for servers, publishers that may listen.
 */
public final class ContainersBench {
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
  private static final Duration CLASS_DATA = Duration.ofMinutes(3);
  private static final int FIRST_PORT = 20_000;

  /** First port at which a server may listen. */
  private static final int FIRST_LISTEN = 30_000;

  /** Longer than a container keeps the memory that an installation needed for a moment. */
  private static final int SETTLE_MS = 9000;

  private static final double NANOS_PER_MILLI = 1e6;

  /** Goals in MiB and milliseconds. */
  private static final double MEMORY = 24;

  private static final double START = 250;
  private static final double FROM_SPARE = 50;
  private static final Goal NONE = new Goal(0, 0);

  private static final Duration SPARE = Duration.ofMinutes(1);

  /** First uid of the containers that are spares, or were. */
  private static final int FIRST_SPARE = 770_000;

  private static final int SPARES = 256;

  /** Uid of all jobs. */
  private static final int JOB = 690_001;

  /** The most that the median and the p99 of some figures may be; 0 = any. */
  private record Goal(double median, double p99) {
    boolean met(Figures figures) {
      return (median == 0 || figures.median() <= median)
          && (p99 == 0 || figures.percentile(99) <= p99);
    }

    @Override
    public String toString() {
      return median == 0 ? "" : p99 == 0 ? text(median) : text(median) + " / " + text(p99);
    }
  }

  /** A kind of SETUP: the things that wait for it on the node. */
  public enum Kind {
    /** Nothing waits: a container and a job are started for each SETUP. */
    COLD("cold", 0, 0),
    /** A spare container waits. */
    SPARE("from the spare", 0, 0),
    /** A spare container and a spare job wait. */
    BOTH("from both spares", 300, 450),
    /** A spare container waits, and the bundle has been fetched by {@code activate: later}. */
    FETCHED("fetched before, on disk alone", 0, 0),
    /** The publisher's container holds the fetched bundle installed. */
    PREPARED("fetched before", 80, 150),
    /** As {@link #COLD}, of a publisher that may listen. */
    SERVER_COLD("of a server, cold", 0, 0),
    /** As {@link #SPARE}, of a publisher that may listen. */
    SERVER_SPARE("of a server, from the spare", 0, 0),
    /** As {@link #BOTH}, of a publisher that may listen. */
    SERVER_BOTH("of a server, from both spares", 0, 0);

    private final String words;
    private final int median;
    private final int p99;

    Kind(String words, int median, int p99) {
      this.words = words;
      this.median = median;
      this.p99 = p99;
    }

    /** Returns the goal of the first answered packet, in milliseconds. */
    private Goal goal() {
      return new Goal(median, p99);
    }

    /** Returns the word of the command's option. */
    public String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /** Results of the SETUPs of one kind, in milliseconds. */
  private record Times(
      Kind kind, Figures setups, Figures answers, Map<ModuleTimes.Step, Figures> steps) {
    Times(Kind kind) {
      this(kind, new Figures(), new Figures(), new EnumMap<>(ModuleTimes.Step.class));
    }

    boolean spares() {
      return kind != Kind.COLD && kind != Kind.SERVER_COLD;
    }

    boolean jobs() {
      return kind == Kind.BOTH || fetched() || kind == Kind.SERVER_BOTH;
    }

    boolean fetched() {
      return kind == Kind.FETCHED || kind == Kind.PREPARED;
    }

    boolean servers() {
      return kind.compareTo(Kind.SERVER_COLD) >= 0;
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
  private final List<Times> all;
  private final ResultTable table =
      new ResultTable("what", "p50", "p99", "most", "goal", "", "load average");
  private final List<String> failed = new ArrayList<>();
  private final Figures waiting = new Figures();
  private final Figures waitingJob = new Figures();
  private final Figures holding = new Figures();
  private final Map<Integer, Bundle> signed = new HashMap<>();

  /** SETUPs that got another container although a spare waited. */
  private int passedOver;

  private ContainersBench(Testbed testbed, Step step, int publishers, int rounds, Set<Kind> kinds) {
    this.testbed = testbed;
    this.step = step;
    this.publishers = publishers;
    this.rounds = rounds;
    this.all = kinds.stream().sorted().map(Times::new).toList();
  }

  /**
   * Measures, prints and judges.
   *
   * @param publishers number of publishers, each with a container of its own and one module in it
   * @param rounds number of rounds of each kind. A round sets up the module of every publisher and
   *     removes it at the end. A kind has as many SETUPs as publishers times rounds.
   * @param kinds of SETUPs to measure
   * @return 0 if every goal is met
   */
  public static int run(int publishers, int rounds, Set<Kind> kinds, Report report) {
    return BenchTestbed.measure(
        "bench",
        report,
        (testbed, step) -> {
          ContainersBench bench = new ContainersBench(testbed, step, publishers, rounds, kinds);
          bench.measure();
          report.show(bench.table);
          boolean met = bench.failed.isEmpty();
          return report.verdict(
              met, met ? "all goals are met." : "missed: " + String.join("; ", bench.failed));
        });
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
        for (Times times : all) {
          NodeDaemon.reconfigure(testbed, BenchNode.NAME, config(times));
          round(round, user, times);
        }
      }
    }
    all.forEach(this::show);
    Set<String> servers =
        IntStream.range(publishers, 2 * publishers)
            .mapToObj(ContainersBench::name)
            .collect(Collectors.toSet());
    ContainerTimes starts = ContainerTimes.read(log(), name -> !servers.contains(name));
    show("container ordered to agent's greeting, cold, ms", starts.cold(), new Goal(START, 0));
    show(
        "container ordered to agent's greeting, from the spare, ms",
        starts.spare(),
        new Goal(FROM_SPARE, 0));
    ContainerTimes ofServers = ContainerTimes.read(log(), servers::contains);
    show("the same of a server, cold, ms", ofServers.cold(), NONE);
    show("the same of a server, from the spare, ms", ofServers.spare(), NONE);
    show("PSS of a spare that waits, MiB", waiting, NONE);
    show("PSS of a spare job that waits, MiB", waitingJob, NONE);
    show("PSS of a container that holds a bundle, MiB", holding, NONE);
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
    String kind = ", " + times.kind.words + ", ms";
    show("SETUP to the first answered packet" + kind, times.answers, times.kind.goal());
    show("SETUP to its answer" + kind, times.setups, NONE);
    times.steps.forEach((step, figures) -> show("of it: " + step.done() + kind, figures, NONE));
  }

  private void round(int round, Conversation user, Times times) throws IOException {
    String name = times.kind.words + ", round " + round + ": ";
    step.begin(name + publishers + " publishers, one after the other");
    List<Bundle> bundles = new ArrayList<>();
    int first = times.servers() ? publishers : 0; // behind the publishers that may not listen
    for (int i = first; i < first + publishers; i++) {
      if (times.fetched()) {
        fetch(i);
      }
      if (times.kind == Kind.PREPARED) {
        awaitPrepared(i);
      }
      awaitSpares(times);
      bundles.add(setup(i, user, times));
    }
    awaitSpares(times);
    Wait.pause(SETTLE_MS);
    if (times.spares()) {
      spareMemory();
    } else if (round == 1 && !times.servers()) {
      memory();
    }
    step.begin(name + "all are removed");
    for (int i = 0; i < publishers; i++) {
      LabPublisher publisher = testbed.publisher(name(first + i));
      try (NodeClient node = testbed.client(BenchNode.NAME)) {
        require(node.ncm(publisher.remove(bundles.get(i), target())));
      }
    }
    Wait.until("idle containers to stop", CLASS_DATA, () -> containers().isEmpty());
  }

  private void awaitSpares(Times times) throws IOException {
    if (times.spares()) {
      Wait.until("a spare container to wait", SPARE, () -> status().path("spares").asInt() > 0);
    }
    if (times.jobs()) {
      Wait.until("a spare job to wait", SPARE, () -> status().path("spareJobs").asInt() > 0);
    }
  }

  /** Waits until the publisher's container holds the bundle, and has freed what that needed. */
  private void awaitPrepared(int i) throws IOException {
    Wait.until(
        "the bundle to be installed",
        SPARE,
        () ->
            container(name(i))
                .map(c -> c.path("modules").path(0).path("state").asText().equals("prepared"))
                .orElse(false));
    if (holding.count() < publishers) {
      Wait.pause(SETTLE_MS);
      holding.add(ProcessMemory.pssMib(container(name(i)).orElseThrow().path("pid").asLong()));
    }
  }

  /**
   * Signs the module of a publisher once, because a signature of P-256 differs each time, and the
   * digest of the bundle with it.
   */
  private Bundle bundle(int i) throws IOException {
    Bundle bundle = signed.get(i);
    if (bundle == null) {
      bundle = testbed.publisher(name(i)).publish(LabHome.dist().resolve("apps/keepalive.jar"));
      signed.put(i, bundle);
    }
    return bundle;
  }

  private static Map<Header, String> filter(int i) {
    return Map.of(Header.FILTER_PORT, Integer.toString(FIRST_PORT + i), Header.FILTER_PROTO, "udp");
  }

  /** Has the node fetch the module of a publisher, and not run it. */
  private void fetch(int i) throws IOException {
    Map<Header, String> headers = new EnumMap<>(filter(i));
    headers.put(Header.ACTIVATE, Activate.LATER.text());
    try (NodeClient node = testbed.client(BenchNode.NAME)) {
      NodeClient.Answer answer =
          node.ncm(
              testbed
                  .publisher(name(i))
                  .setup(bundle(i), target(), target(), headers, Map.of("pass-every", "0")));
      if (!answer.fetched()) {
        throw new LabException("activate: later: " + answer);
      }
    }
  }

  private Bundle setup(int i, Conversation user, Times times) throws IOException {
    LabPublisher publisher = testbed.publisher(name(i));
    Bundle bundle = bundle(i);
    Ncm message = publisher.setup(bundle, target(), target(), filter(i), Map.of("pass-every", "0"));
    try (NodeClient node = testbed.client(BenchNode.NAME)) {
      user.tell(Integer.toString(FIRST_PORT + i));
      long sent = System.nanoTime();
      require(node.ncm(message));
      double setup = (System.nanoTime() - sent) / NANOS_PER_MILLI;
      double answer = (user.answer().get("at") - sent) / NANOS_PER_MILLI;
      if (times.spares() && !wasSpare(name(i))) {
        passedOver++;
        return bundle;
      }
      times.add(setup, answer, ModuleTimes.last(log(), name(i)));
    }
    return bundle;
  }

  private boolean wasSpare(String publisher) throws IOException {
    return container(publisher)
        .orElseThrow(() -> new LabException("no container of " + publisher + " runs"))
        .path("spare")
        .asBoolean();
  }

  private Optional<JsonNode> container(String publisher) throws IOException {
    for (JsonNode container : containers()) {
      if (container.path("publisher").asText().equals(publisher)) {
        return Optional.of(container);
      }
    }
    return Optional.empty();
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
    show("PSS of a container with a module, MiB", hosts, new Goal(MEMORY, 0));
    show("with its pktio, MiB", both, NONE);
  }

  /** Shows one row of figures and compares them with the goal. No figures are no row. */
  private void show(String what, Figures figures, Goal goal) {
    if (figures.count() == 0) {
      return;
    }
    boolean met = goal.met(figures);
    table.row(
        what + " (n = " + figures.count() + ")",
        text(figures.median()),
        text(figures.percentile(99)),
        text(figures.percentile(100)),
        goal.toString(),
        goal.equals(NONE) ? "" : met ? "ok" : "MISSED",
        Bench.machineLoad());
    if (!met) {
      failed.add(
          what
              + ": "
              + text(figures.median())
              + " / "
              + text(figures.percentile(99))
              + ", not "
              + goal);
    }
  }

  private static String text(double value) {
    return String.format(Locale.ROOT, value < 100 ? "%.1f" : "%.0f", value);
  }

  private ObjectNode options() {
    ObjectNode options = YAML.createObjectNode();
    options.set("config", config(new Times(Kind.COLD)));
    ObjectNode all = options.putObject("publishers");
    for (int i = 0; i < 2 * publishers; i++) {
      ObjectNode policy = all.putObject(name(i));
      policy.putArray("prefixes").add(Bench.TARGET_ADDRESS + "/32");
      policy.putArray("ports").add("udp/" + (FIRST_PORT + i));
      if (i >= publishers) {
        policy.putArray("listen").add("tcp/0.0.0.0/0/" + (FIRST_LISTEN + i));
      }
    }
    return options;
  }

  private static ObjectNode config(Times times) {
    ObjectNode config =
        YAML.createObjectNode()
            .put("spares", times.spares() ? 1 : 0)
            .put("spare-jobs", times.jobs() ? 1 : 0)
            .put("standby", times.kind == Kind.PREPARED ? 1 : 0);
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
