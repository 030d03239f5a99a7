// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.InetAddress;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.NodeProcesses;
import org.netserv.lab.testbed.PathPublisher;
import org.netserv.lab.testbed.PathPublisher.Reply;
import org.netserv.lab.testbed.PathPublisher.Route;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.tool.StrangerFlood;

/**
 * Lets 10,000 identities from 64 addresses occupy a node as far as the node allows. They send
 * PROBEs and badly signed SETUPs that stay outstanding, because nobody answers at their
 * destination. They also open connections that stay half open.
 *
 * <p>Meanwhile a registered publisher's SETUPs and an honest stranger's PROBEs must succeed, each
 * within five seconds. The control sends the same PROBEs from one of the 64 addresses. They fail,
 * because the flood has used up the share of that address. Without counting by address, all PROBEs
 * failed.
 */
public final class StrangerFloodRun implements Scenario {
  private static final String NODE = "a";
  private static final String FIRST = "10.66.0.10";
  private static final String SILENT = "198.51.100.77";
  private static final int ADDRESSES = 64;
  private static final int IDENTITIES = 10_000;
  private static final int SECONDS = 40;
  private static final int ROUNDS = 8;
  private static final int SOON = 5;
  private static final int TTL = 300;

  /** Slots that requests share, and the slots of the reserve. */
  private static final int SLOTS = 512 + 128;

  /**
   * Limit of growth. The heap of each daemon is 256 MB, and the flood's remains are far below it.
   */
  private static final long GROWTH_KB = 96 << 10;

  private Stage stage;
  private PathStage path;
  private ResultTable table;
  private boolean holds = true;
  private int setups;
  private int probes;
  private int controls;
  private long slowest;
  private long most;

  @Override
  public String topology() {
    return "strangers";
  }

  @Override
  public boolean play(Stage theStage) throws IOException {
    stage = theStage;
    table = new ResultTable("", "found", "wanted", "");
    String lab = stage.testbed().topology().name();
    try (PathStage opened = PathStage.open(stage);
        PathPublisher stranger = PathPublisher.stranger(lab, "stranger");
        PathPublisher control = PathPublisher.stranger(lab, "flooder")) {
      path = opened;
      prepare();
      stage.step("warm up: a SETUP, and a PROBE from each side");
      Reply first = setup();
      row("SETUP before", path.stack(first), "a 200", path.stack(first).equals("a 200"));
      row("PROBE before", probe(stranger), "port-unreachable");
      row("  from a flooding address", probe(control), "the same");
      long gist = resident("nsis-gist");
      long controller = resident("controller");
      stage.step("flood: " + IDENTITIES + " identities in " + SECONDS + " s, SETUPs and PROBEs");
      Tool flood = flood();
      flood.await("flooding");
      for (int round = 0; round < ROUNDS; round++) {
        round(stranger, control);
      }
      boolean through = flood.running();
      Map<String, Long> sent = flood.result(SECONDS);
      stage.out().println("  " + sent);
      verdict(through, gist, controller);
      Wait.pause(SOON * 1000L);
      row("PROBE after it", probe(stranger), "port-unreachable");
      stage.show(table);
      return holds;
    }
  }

  private void prepare() throws IOException {
    for (int i = 1; i < ADDRESSES; i++) {
      String address = "10.66." + i + ".10/16";
      stage.testbed().run("flooder", "ip", "address", "add", address, "dev", "eth0");
    }
    stage
        .testbed()
        .run("user", "iptables-nft", "-A", "INPUT", "-p", "udp", "-d", SILENT, "-j", "DROP");
  }

  private Tool flood() throws IOException {
    String node = "10.66.255.1";
    return Tool.start(
        stage.testbed(),
        "flooder",
        stage.unique("flood"),
        StrangerFlood.class,
        FIRST,
        ADDRESSES,
        SILENT,
        node,
        IDENTITIES,
        SECONDS,
        270,
        7271,
        Stage.PUBLISHER);
  }

  /**
   * Sends one SETUP and one PROBE, and records the requests that the node has under way between
   * them.
   */
  private void round(PathPublisher stranger, PathPublisher control) throws IOException {
    long begin = System.nanoTime();
    Reply ordered = setup();
    boolean started = path.stack(ordered).equals("a 200");
    time("SETUP", started, ordered, begin);
    setups += started ? 1 : 0;
    begin = System.nanoTime();
    Reply asked = probe(stranger);
    time("PROBE", answered(asked), asked, begin);
    probes += answered(asked) ? 1 : 0;
    controls += answered(probe(control)) ? 1 : 0;
    most = Math.max(most, signaling("requests"));
    Wait.pause(250);
  }

  private void time(String what, boolean right, Reply reply, long begin) {
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
    stage.out().println("  " + what + " " + millis + " ms" + (right ? "" : ", WRONG: " + reply));
    slowest = Math.max(slowest, millis);
  }

  private void verdict(boolean through, long gist, long controller) throws IOException {
    row("the flood lasted as long as the rounds", through, "true", through);
    row("SETUPs of the publisher", setups + " of " + ROUNDS, "all", setups == ROUNDS);
    row("PROBEs of the stranger", probes + " of " + ROUNDS, "all", probes == ROUNDS);
    row("  slowest of both, ms", slowest, "at most " + SOON * 1000, slowest <= SOON * 1000L);
    // Control: a PROBE from an address of the flood fails, because its share is gone.
    String some = controls + " of " + ROUNDS;
    row("control: PROBEs from a flooding address", some, "half at most", controls <= ROUNDS / 2);
    row("requests under way, most seen", most, "200 to " + SLOTS, most >= 200 && most <= SLOTS);
    row("refused and told so", refusals(), "thousands", refusals() >= 2000);
    long states = signaling("routing-states");
    row("routing states", states, "at most " + 4 * IDENTITIES, states <= 4L * IDENTITIES);
    memory("nsis-gist", gist);
    memory("controller", controller);
  }

  private void memory(String process, long before) throws IOException {
    long grown = resident(process) - before;
    row("memory of " + process + ", more KB", grown, "at most " + GROWTH_KB, grown <= GROWTH_KB);
  }

  private void row(String what, Reply probe, String wanted) {
    row(what, probe.end(), wanted, answered(probe));
  }

  private void row(String what, Object found, String wanted, boolean right) {
    table.row(what, found, wanted, right ? "ok" : "WRONG");
    holds &= right;
  }

  private Reply setup() throws IOException {
    return path.setup(path.address("user", false), path.headers(false, TTL));
  }

  private Reply probe(PathPublisher from) throws IOException {
    InetAddress user = path.address("user", false);
    return from.probe(new Route(user, SOON));
  }

  private static boolean answered(Reply reply) {
    return reply.whole() && reply.nodes().size() == 1 && reply.nodes().get(0).status() == 200;
  }

  private long resident(String process) throws IOException {
    return NodeProcesses.of(stage.testbed(), NODE).residentKb(process);
  }

  private long signaling(String name) throws IOException {
    return path.status(NODE).path("signaling").path(name).asLong();
  }

  private long refusals() throws IOException {
    Wait.pause(2500); // the daemon reports every 2 s
    try (NodeClient client = stage.testbed().client(NODE)) {
      JsonNode nslp = client.counters(Stage.PUBLISHER).path("signaling").path("nslp");
      long sum = 0;
      for (String name : new String[] {"busy", "hop-rate", "probe-rate", "overload"}) {
        sum += nslp.path("refused-" + name).asLong();
      }
      return sum + nslp.path("gave-way").asLong();
    }
  }
}
