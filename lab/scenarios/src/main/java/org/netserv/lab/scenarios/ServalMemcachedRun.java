// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.SalHost;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.VethCard;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.TimeChart;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.capture.FullQueues;
import org.netserv.lab.testbed.capture.PacketCounter;
import org.netserv.lab.testbed.tool.CacheClient;

/**
 * Servers of memcached share a key space by prefixes of serviceIDs, as in figure 8 of the paper. A
 * client stores and reads keys by datagrams to partitions, through the rules that the servers have
 * registered in the kernel of a service router. It never hears that servers leave, die and return.
 */
public final class ServalMemcachedRun implements Scenario {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String NODE = "node";
  private static final String USER = "user";
  private static final String ROUTER = "10.1.0.1";
  private static final int SAL_PORT = ServalEnds.PORT;
  private static final int PORT = 11211;
  private static final List<String> NODES = List.of("server", "second", "third", "fourth");

  /** SETs in a second of the paper's client. */
  private static final double PAPER = 100_000;

  /**
   * Ticks before an event and after the router's rules follow it, whose requests may go anywhere.
   */
  private static final int MARGIN = 3;

  /** Milliseconds after which a server that is away must get no datagram in the long form. */
  private static final int SECOND = 1000;

  private static final int SECOND_TICKS = SECOND / CacheCounts.TICK;

  /** The events that can come to a server. */
  private enum Event {
    START("four servers", true),
    LEAVE("leaves", true),
    KILL("is killed", false),
    RETURN("returns", true),
    RESTART("starts again", false);

    private final String text;

    /** True if no datagram may be lost. A program that starts may have no room yet for all. */
    private final boolean byOrder;

    Event(String text, boolean byOrder) {
      this.text = text;
      this.byOrder = byOrder;
    }
  }

  /** An event of a server. */
  private record Step(Event event, int server) {
    String text() {
      return event == Event.START ? event.text : "server " + (server + 1) + " " + event.text;
    }
  }

  /**
   * A step that is over.
   *
   * @param begin tick of the event
   * @param settled tick from which on all requests go by the new rules
   * @param end tick of the next event
   * @param there servers with rules that count
   * @param millis until the kernel had the rules
   * @param strays datagrams that came to servers without rules after that
   * @param full packets of the whole step that found a full queue at an end
   */
  private record Phase(
      Step step,
      int begin,
      int settled,
      int end,
      Set<Integer> there,
      long millis,
      long strays,
      long full) {}

  private final ComparedRows rows = new ComparedRows("when", "what");
  private final ResultTable shares =
      new ResultTable("when", "server", "requests/s", "share, %", "of its prefixes, %", "paper/s");
  private final ResultTable losses =
      new ResultTable("when", "datagrams without an answer", "packets at a full queue");
  private final List<Phase> phases = new ArrayList<>();
  private final Set<Integer> there = new TreeSet<>(Set.of(0, 1, 2, 3));
  private final SalHost[] hosts = new SalHost[CachePartitions.SERVERS];
  private final Tool[] memcached = new Tool[CachePartitions.SERVERS];
  private final PacketCounter[] counters = new PacketCounter[CachePartitions.SERVERS];
  private final List<Step> steps;
  private final int rate;
  private final int pause;
  private final boolean quick;
  private Stage stage;
  private Testbed testbed;

  private ServalMemcachedRun(boolean quick, int rate, int pause, List<Step> steps) {
    this.quick = quick;
    this.rate = rate;
    this.pause = pause;
    this.steps = steps;
  }

  /** Returns the steps of the paper's figure, and a server that is killed. */
  public static ServalMemcachedRun full() {
    return new ServalMemcachedRun(
        false,
        4000,
        10 * SECOND,
        List.of(
            new Step(Event.START, 0),
            new Step(Event.LEAVE, 3),
            new Step(Event.LEAVE, 2),
            new Step(Event.RETURN, 2),
            new Step(Event.RETURN, 3),
            new Step(Event.KILL, 1),
            new Step(Event.RESTART, 1)));
  }

  public static ServalMemcachedRun quick() {
    return new ServalMemcachedRun(
        true,
        1000,
        SECOND,
        List.of(
            new Step(Event.START, 0),
            new Step(Event.LEAVE, 3),
            new Step(Event.KILL, 1),
            new Step(Event.RETURN, 3)));
  }

  @Override
  public String topology() {
    return "serval-memcached";
  }

  @Override
  public boolean play(Stage theStage) throws IOException {
    stage = theStage;
    testbed = stage.testbed();
    stage.step("SETUP of a service router, four servers of memcached with sald");
    stage.deployServer(
        NODE,
        Stage.PUBLISHER,
        LabHome.dist().resolve("apps/service-router.jar"),
        Map.of("registrations", CachePartitions.PREFIX));
    VethCard.of(testbed, USER).addsChecksums().takesRedirected();
    for (int i = 0; i < CachePartitions.SERVERS; i++) {
      serve(i);
    }
    settle();
    Path stop = testbed.state().resolve("stop");
    Path counts = testbed.state().resolve("counts");
    Object[] arguments = {
      "10.1.0.10", ROUTER + ":" + SAL_PORT, CachePartitions.PREFIX, rate, stop, counts
    };
    Tool client = Tool.start(testbed, USER, "client", CacheClient.class, arguments).await("warm");
    long begin = client.numbers().get("begin");
    for (Step next : steps) {
      phases.add(play(next, begin));
    }
    Files.createFile(stop);
    judge(client.result(60), CacheCounts.read(counts));
    return rows.hold();
  }

  // ---- servers

  private void serve(int server) throws IOException {
    String node = NODES.get(server);
    VethCard.of(testbed, node).addsChecksums().takesRedirected();
    hosts[server] = SalHost.start(testbed, node, "eth0");
    hosts[server].order("router address=" + ROUTER);
    counters[server] = PacketCounter.install(testbed, node, "eth0", SAL_PORT);
    run(server);
    register(server);
  }

  private void run(int server) throws IOException {
    List<String> command = List.of("memcached", "-u", "root", "-U", Integer.toString(PORT));
    String name = stage.unique("memcached");
    String node = NODES.get(server);
    memcached[server] = Tool.start(testbed, node, name, command);
    String listens = "ss -Hlun sport = :" + PORT;
    Wait.until(name, PATIENCE, () -> !testbed.run(node, "sh", "-c", listens).isBlank());
  }

  private void register(int server) throws IOException {
    for (String prefix : CachePartitions.prefixes(server)) {
      hosts[server].order(
          "register id=" + prefix + " port=" + PORT + " protocol=udp when=listening");
    }
  }

  private void end(int server) throws IOException {
    memcached[server].process().destroy();
    Wait.until("the end of memcached", PATIENCE, () -> !memcached[server].running());
  }

  /** Waits until the kernel of the router has the rules of the servers that are there. */
  private void settle() throws IOException {
    int rules = there.stream().mapToInt(i -> CachePartitions.prefixes(i).size()).sum();
    Wait.until("the rules of servers " + there, PATIENCE, () -> rules() == rules);
  }

  private long rules() throws IOException {
    try (NodeClient client = testbed.client(NODE)) {
      return Stage.counter(client.counters(Stage.PUBLISHER), "serval-rules");
    }
  }

  // ---- events

  private Phase play(Step next, long begin) throws IOException {
    stage.step(next.text());
    long full = fullQueues();
    long at = System.currentTimeMillis();
    act(next);
    settle();
    long millis = System.currentTimeMillis() - at;
    if (!quick) {
      Wait.pause(Math.max(0, SECOND - millis));
    }
    int settled = quick ? tick(begin) + MARGIN : tick(begin, at) + SECOND_TICKS;
    long before = strays();
    Wait.pause(pause);
    long strays = strays() - before;
    int end = tick(begin);
    full = fullQueues() - full;
    Phase phase =
        new Phase(next, tick(begin, at), settled, end, Set.copyOf(there), millis, strays, full);
    if (next.event() == Event.LEAVE) {
      end(next.server());
    }
    return phase;
  }

  private static int tick(long begin) {
    return tick(begin, System.currentTimeMillis());
  }

  private static int tick(long begin, long at) {
    return (int) ((at - begin) / CacheCounts.TICK);
  }

  private void act(Step next) throws IOException {
    int server = next.server();
    switch (next.event()) {
      case START -> {}
      case LEAVE -> {
        there.remove(server);
        for (String prefix : CachePartitions.prefixes(server)) {
          hosts[server].order("unregister id=" + prefix + " when=listening");
        }
      }
      case KILL -> {
        there.remove(server);
        memcached[server].process().destroyForcibly();
        end(server);
      }
      case RETURN -> {
        there.add(server);
        run(server);
        register(server);
      }
      case RESTART -> {
        there.add(server);
        run(server);
      }
    }
  }

  /** Returns the packets that found a full queue at the client or at a server. */
  private long fullQueues() throws IOException {
    List<String> ends = new ArrayList<>(NODES);
    ends.add(USER);
    return FullQueues.read(testbed, ends);
  }

  /** Returns the datagrams that have come to the servers that are away. */
  private long strays() throws IOException {
    long sum = 0;
    for (int i = 0; i < CachePartitions.SERVERS; i++) {
      sum += there.contains(i) ? 0 : counters[i].read();
    }
    return sum;
  }

  // ---- counts of the client

  private void judge(Map<String, Long> client, CacheCounts all) throws IOException {
    long sent = client.get("requests");
    rows.row("whole run", "requests answered", sent, sent - failed(all));
    rows.row("whole run", "wrong values", 0, client.get("wrong"));
    rows.row("whole run", "keys that their server has not", 0, client.get("forgotten"));
    rows.row("whole run", "keys read", "some", client.get("hits") > 0 ? "some" : "none");
    phases.forEach(phase -> judge(phase, all));
    stage.show(rows.table());
    stage.show(losses);
    stage.show(shares);
    chart(all);
  }

  private static long failed(CacheCounts all) {
    return all.requests(row -> row.server().equals("none"));
  }

  private void judge(Phase phase, CacheCounts all) {
    String when = phase.step().text();
    CacheCounts settled = all.between(phase.settled(), phase.end() - MARGIN);
    CacheCounts whole = all.between(phase.begin(), phase.end() - MARGIN);
    losses.row(when, whole.lost(), phase.full());
    if (phase.step().event().byOrder) {
      long lost = Math.max(0, whole.lost() - phase.full());
      rows.row(when, "datagrams lost but at a full queue", 0, lost);
    }
    if (phase.there().size() < CachePartitions.SERVERS) {
      rows.row(when, "datagrams to servers that are away", 0, phase.strays());
    }
    rows.row(
        when,
        "requests at the server of their prefix",
        Math.max(1, settled.requests(row -> true)), // none would show nothing
        settled.requests(row -> row.server().equals(address(server(row, phase)))));
    double seconds = (phase.end() - MARGIN - phase.settled()) / (double) SECOND_TICKS;
    for (int server : new TreeSet<>(phase.there())) {
      share(phase, server, settled, seconds);
    }
  }

  private static int server(CacheCounts.Row row, Phase phase) {
    return CachePartitions.server(row.partition(), phase.there());
  }

  private static String address(int server) {
    return "10.2." + (server + 1) + ".10";
  }

  private void share(Phase phase, int server, CacheCounts settled, double seconds) {
    long all = settled.requests(row -> true);
    long seen = settled.requests(row -> row.server().equals(address(server)));
    long owned = 0;
    for (int i = 0; i < CachePartitions.PARTITIONS; i++) {
      owned += CachePartitions.server(i, phase.there()) == server ? 1 : 0;
    }
    shares.row(
        "%s, %d ms".formatted(phase.step().text(), phase.millis()),
        server + 1,
        "%,.0f".formatted(seen / seconds),
        "%.1f".formatted(100.0 * seen / Math.max(1, all)),
        "%.1f".formatted(100.0 * owned / CachePartitions.PARTITIONS),
        "%,.0f".formatted(PAPER / phase.there().size()));
  }

  /** Draws the requests of each server, above the paper's at each server that is there. */
  private void chart(CacheCounts all) throws IOException {
    TimeChart chart = new TimeChart("memcached by name: requests/s at each server");
    int seconds = phases.get(phases.size() - 1).end() / SECOND_TICKS;
    for (int server = 0; server < CachePartitions.SERVERS; server++) {
      for (int second = 0; second < seconds; second++) {
        String at = address(server);
        CacheCounts then = all.between(second * SECOND_TICKS, (second + 1) * SECOND_TICKS);
        long count = then.requests(row -> row.server().equals(at));
        chart.add("server " + (server + 1), second, (double) count);
      }
    }
    for (Phase phase : phases) {
      chart.mark(phase.begin() / SECOND_TICKS, phase.step().text());
      int from = phase.begin() / SECOND_TICKS;
      for (int second = from; second < phase.end() / SECOND_TICKS; second++) {
        chart.add("the paper's, each server", second, PAPER / phase.there().size());
      }
    }
    stage.out().println();
    stage.out().print(chart.text());
    stage.out().println("\n  chart: " + chart.write("serval-memcached"));
  }
}
