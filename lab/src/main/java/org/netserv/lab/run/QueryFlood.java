// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.run;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import org.netserv.lab.CommandException;
import org.netserv.lab.LabHome;
import org.netserv.lab.Table;
import org.netserv.lab.Tool;
import org.netserv.lab.Wait;
import org.netserv.lab.capture.PacketCounter;
import org.netserv.lab.node.NodeClient;
import org.netserv.lab.node.NodeProcesses;
import org.netserv.lab.node.PathPublisher.Reply;

/**
 * 100,000 Queries with random sources, sessions and cookies go through node a, and Confirms whose
 * Responder cookies are guesses. They leave no routing state and no memory behind, and what an
 * honest publisher asks meanwhile is answered by the whole path.
 *
 * <p>The sources are of networks behind the publisher, so that the node has no reason but its own
 * to refuse them; what it answers goes back to the publisher's host, which drops it.
 */
public final class QueryFlood implements Scenario {
  private static final String NODE = "a";
  private static final String SOURCES = "172.16.0.0/12";
  private static final String SOURCES_V6 = "2001:db8:f000::/36";
  private static final int QUERIES = 50_000;
  private static final int WARM_UP = 20_000;
  private static final int CONFIRMS = 10_000;

  /** Below what sigio lets through a second: each Query reaches the daemon. */
  private static final int RATE = 3_000;

  /** One state costs kilobytes: had the flood left its states, this would be passed many times. */
  private static final long GROWTH_KB = 64 << 10;

  private PathStage path;
  private Table table;
  private boolean holds = true;

  @Override
  public String topology() {
    return "path";
  }

  @Override
  public boolean play(Stage stage) throws IOException {
    try (PathStage opened = PathStage.open(stage)) {
      path = opened;
      table = new Table("", "found", "wanted", "");
      routes();
      PacketCounter counter = PacketCounter.install(stage.testbed(), NODE, "west", 270);
      stage.step("warm up: " + WARM_UP + " Queries");
      flood("queries", false, WARM_UP).result(60);
      stage.step("flood: " + QUERIES + " Queries over IPv4, as many over IPv6, and a PROBE");
      long states = states();
      long memory = memory();
      long queries = gist("query-received");
      long others = passed();
      long before = counter.read();
      Reply during = play(false);
      Reply duringV6 = play(true);
      long arrived = counter.read() - before;
      row(
          "packets to port 270 that arrived at a",
          arrived,
          "100,000 and the PROBEs'",
          arrived >= 2L * QUERIES);
      settle();
      long read = gist("query-received") - queries;
      long went = passed() - others;
      row("Queries that its nsis-gist read", read, "most of them", read >= QUERIES);
      row("Queries that went on as plain packets", went, "the others", went + read >= arrived - 8);
      answered("PROBE during the flood, IPv4", during);
      answered("PROBE during the flood, IPv6", duringV6);
      stage.step(CONFIRMS + " Confirms with guessed cookies");
      flood("confirms", false, CONFIRMS).result(60);
      settle();
      long after = states();
      row(
          "routing states of a",
          after + " (before: " + states + ")",
          "the PROBEs' alone",
          after <= states + 4);
      long grown = memory() - memory;
      row(
          "memory of its nsis-gist grown by, KB",
          grown,
          "at most " + GROWTH_KB,
          grown <= GROWTH_KB);
      answered("PROBE after the flood", path.probe(path.address("user", false)));
      stage.show(table);
      return holds;
    }
  }

  /** The daemon reports every 2 s. */
  private static void settle() throws IOException {
    Wait.pause(5000);
  }

  private void row(String what, Object found, String wanted, boolean right) {
    table.row(what, found, wanted, right ? "ok" : "WRONG");
    holds &= right;
  }

  private void answered(String what, Reply reply) {
    String wanted = PathStage.all200(path.nodes());
    row(what, path.stack(reply), wanted, path.stack(reply).equals(wanted) && reply.whole());
  }

  /** What the node answers to the made-up sources ends at the publisher's host. */
  private void routes() throws IOException {
    String v4 = path.address("publisher", false).getHostAddress();
    String v6 = path.address("publisher", true).getHostAddress();
    path.testbed().run(NODE, "ip", "route", "add", SOURCES, "via", v4);
    path.testbed().run(NODE, "ip", "-6", "route", "add", SOURCES_V6, "via", v6);
  }

  private Tool flood(String kind, boolean v6, int count) throws IOException {
    // Queries travel to the user; a Confirm is sent to the node itself.
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

  private Reply play(boolean v6) throws IOException {
    Tool flood = flood("queries", v6, QUERIES);
    Wait.pause(2000);
    Reply reply = path.probe(path.address("user", v6));
    Map<String, Long> sent = flood.result(120);
    path.stage().out().println("  sent " + sent);
    return reply;
  }

  private long states() throws IOException {
    return gist("states-querying") + gist("states-responding");
  }

  private long gist(String counter) throws IOException {
    return signaling("gist", counter);
  }

  /** Queries that went on as plain packets, because too many came at a time. */
  private long passed() throws IOException {
    return signaling("gist", "passed-rate-limit")
        + signaling("sigio", "overflow")
        + signaling("sigio", "timed-out")
        + signaling("sigio", "rate-limited");
  }

  private long signaling(String group, String counter) throws IOException {
    try (NodeClient client = path.testbed().client(NODE)) {
      JsonNode value = client.counters(Stage.PUBLISHER).path("signaling").path(group).path(counter);
      if (!value.isNumber()) {
        throw new CommandException("the node does not say its " + counter);
      }
      return value.asLong();
    }
  }

  private long memory() throws IOException {
    return NodeProcesses.of(path.testbed(), NODE).residentKb("nsis-gist");
  }
}
