// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.NodeProcesses;
import org.netserv.lab.testbed.PathPublisher.Entry;
import org.netserv.lab.testbed.PathPublisher.Reply;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.capture.PacketCounter;

/**
 * Floods node a with 50,000 Queries with random sources, sessions and cookies, and with Confirms
 * that carry guessed Responder cookies. They must leave no routing state and no memory behind.
 * Meanwhile the whole path must answer the requests of an honest publisher.
 *
 * <p>The sources are in networks behind the publisher, so that the node has only its own reasons to
 * refuse them. The node's answers go back to the publisher's host, which drops them.
 */
public final class QueryFlood implements Scenario {
  private static final String NODE = "a";
  private static final String SOURCES = "172.16.0.0/12";
  private static final String SOURCES_V6 = "2001:db8:f000::/36";
  private static final int QUERIES = 25_000;
  private static final int WARM_UP = 15_000;
  private static final int CONFIRMS = 10_000;

  /** A rate below sigio's limit per second, so that each Query reaches the daemon. */
  private static final int RATE = 1_500;

  /**
   * Limit of growth. One state costs kilobytes, so a flood that left its states would pass the
   * limit many times.
   */
  private static final long GROWTH_KB = 64 << 10;

  private PathStage path;
  private ResultTable table;
  private PacketCounter arrived;
  private boolean holds = true;
  private int probes;
  private int completed;
  private int whole;

  @Override
  public String topology() {
    return "path";
  }

  @Override
  public boolean play(Stage stage) throws IOException {
    try (PathStage opened = PathStage.open(stage)) {
      path = opened;
      table = new ResultTable("", "found", "wanted", "");
      routes();
      arrived = PacketCounter.install(stage.testbed(), NODE, "west", 270);
      stage.step("warm up: " + WARM_UP + " Queries");
      flood("queries", false, WARM_UP).result(60);
      Sample before = sample();
      stage.step("flood: " + QUERIES + " Queries over IPv4, as many over IPv6, and PROBEs");
      flooded(false);
      flooded(true);
      queries(before, sample());
      stage.step(CONFIRMS + " Confirms with guessed cookies");
      flood("confirms", false, CONFIRMS).result(60);
      left(before, sample());
      Reply after = path.probe(path.address("user", false));
      String wanted = PathStage.all200(path.nodes());
      row("PROBE after it", path.stack(after), wanted, path.stack(after).equals(wanted));
      stage.show(table);
      return holds;
    }
  }

  /**
   * Counts of the node.
   *
   * @param packets packets to port 270 that arrived, by the kernel's count
   * @param read Queries that nsis-gist has read
   * @param passed packets that went on as plain packets, because too many came at a time
   * @param states routing states that nsis-gist holds
   * @param memory resident memory of nsis-gist, KB
   */
  private record Sample(long packets, long read, long passed, long states, long memory) {}

  private Sample sample() throws IOException {
    Wait.pause(3000); // the daemon reports every 2 s
    long passed =
        signaling("gist", "passed-rate-limit")
            + signaling("sigio", "overflow")
            + signaling("sigio", "timed-out")
            + signaling("sigio", "rate-limited");
    return new Sample(
        arrived.read(),
        signaling("gist", "query-received"),
        passed,
        signaling("gist", "states-querying") + signaling("gist", "states-responding"),
        NodeProcesses.of(path.testbed(), NODE).residentKb("nsis-gist"));
  }

  private void queries(Sample before, Sample after) {
    long packets = after.packets() - before.packets();
    long read = after.read() - before.read();
    long passed = after.passed() - before.passed();
    row("packets to port 270 at a", packets, "50,000 and the PROBEs'", packets >= 2L * QUERIES);
    row("Queries that its nsis-gist read", read, "a fifth at least", read >= 2L * QUERIES / 5);
    // A full queue fails open in the kernel, which does not count the packets for NetServ.
    long counted = packets * 9 / 10;
    row("went on as plain packets", passed, "nearly all others", passed + read >= counted);
    row("PROBEs meanwhile", probes, "some", probes >= 2);
    row("  answered, verified, whole", completed, "all of them", completed == probes);
    row("  with a among the nodes", whole, "at least one", whole > 0);
  }

  private void left(Sample before, Sample after) {
    // Each PROBE's session has one state toward the publisher and one toward b.
    long most = before.states() + 4;
    String states = after.states() + " (before: " + before.states() + ")";
    row("routing states of a", states, "the PROBEs' alone", after.states() <= most);
    long grown = after.memory() - before.memory();
    row("memory of its nsis-gist, more KB", grown, "at most " + GROWTH_KB, grown <= GROWTH_KB);
  }

  private void row(String what, Object found, String wanted, boolean right) {
    table.row(what, found, wanted, right ? "ok" : "WRONG");
    holds &= right;
  }

  /** Routes the node's answers to the made-up sources to the publisher's host, where they end. */
  private void routes() throws IOException {
    String v4 = path.address("publisher", false).getHostAddress();
    String v6 = path.address("publisher", true).getHostAddress();
    path.testbed().run(NODE, "ip", "route", "add", SOURCES, "via", v4);
    path.testbed().run(NODE, "ip", "-6", "route", "add", SOURCES_V6, "via", v6);
  }

  private Tool flood(String kind, boolean v6, int count) throws IOException {
    // Queries travel to the user, but a Confirm is sent to the node itself.
    InetAddress to = path.address(kind.equals("confirms") ? NODE : "user", v6);
    return Tool.start(
        path.testbed(),
        "publisher",
        path.stage().unique("flood"),
        List.of(
            LabHome.dist().resolve("bin/lab-gist").toString(),
            kind,
            v6 ? SOURCES_V6 : SOURCES,
            to.getHostAddress(),
            Integer.toString(count),
            Integer.toString(RATE),
            "7"));
  }

  /**
   * Floods, and meanwhile sends PROBEs like an honest publisher. The PROBE's own Query may be among
   * the packets that the overloaded node passes on. The path then begins with the next node.
   */
  private void flooded(boolean v6) throws IOException {
    Tool flood = flood("queries", v6, QUERIES);
    Wait.pause(1000);
    while (flood.running()) {
      Reply reply = path.probe(path.address("user", v6));
      boolean verified = reply.nodes().stream().allMatch(Entry::verified);
      probes++;
      completed += !reply.nodes().isEmpty() && verified && reply.whole() ? 1 : 0;
      whole += path.stack(reply).equals(PathStage.all200(path.nodes())) ? 1 : 0;
      Wait.pause(1000);
    }
    path.stage().out().println("  sent " + flood.result(10));
  }

  /** Returns a counter of the node's daemon. */
  private long signaling(String group, String counter) throws IOException {
    try (NodeClient client = path.testbed().client(NODE)) {
      JsonNode value = client.counters(Stage.PUBLISHER).path("signaling").path(group).path(counter);
      if (!value.isNumber()) {
        throw new LabException("the node does not say its " + counter);
      }
      return value.asLong();
    }
  }
}
