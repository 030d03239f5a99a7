// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.netserv.lab.CommandException;
import org.netserv.lab.LabHome;
import org.netserv.lab.Table;
import org.netserv.lab.Tool;
import org.netserv.lab.Wait;
import org.netserv.lab.capture.PacketCounter;
import org.netserv.lab.node.LabPublisher.Bundle;
import org.netserv.lab.node.NodeProcesses;
import org.netserv.lab.tool.KeepAliveStream;
import org.netserv.lab.tool.UdpSink;
import org.netserv.lab.tool.UdpSource;

/**
 * Mixed traffic at four fifths of the rate that the node can do, while a module beside the one that
 * answers comes and goes: nothing grows, nothing is stuck, no packet of others is lost.
 *
 * <p>Three streams: keep-alives, which the module answers; datagrams to the same port that it lets
 * pass; and those of others, which no filter names. Keep-alives that go by the module while filters
 * change, or are above a limit, are answered by the server, as fast as that can.
 */
public final class Soak implements Scenario {
  private static final int MINUTES = 30;
  private static final double SHARE = 0.8;
  private static final int FIRST_RATE = 500;
  private static final int LAST_RATE = 16_000;
  private static final int SEARCH_SECONDS = 2;
  private static final double MOST_LOST = 0.001;

  private static final int FOREIGN_PORT = 7000;
  private static final int FOREIGN = 500;
  private static final int PASSING = 200;

  /** From one coming or going of the visitor to the next. */
  private static final int CHANGE_MS = 3000;

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private Stage stage;
  private PacketCounter server;
  private Bundle visitor;
  private int visits;
  private int leaks;

  @Override
  public String topology() {
    return "keepalive";
  }

  @Override
  public boolean play(Stage theStage) throws IOException {
    stage = theStage;
    int minutes = stage.minutes(MINUTES);
    stage.step("deploy the keep-alive responder; how many a second it answers without loss");
    stage.deploy(LabHome.dist().resolve("apps/keepalive.jar"), 5060, Map.of("pass-every", "0"));
    Path module = HostileBundle.build("Visitor", stage.testbed().state());
    server = PacketCounter.install(stage.testbed(), "server", "eth0", 5060);
    int rate = (int) (most() * SHARE);
    stage.step(minutes + " min: " + rate + " keep-alives a second, others, and a visitor");
    return soak(module, rate, minutes * 60);
  }

  /** Twice as many each time, until some get no answer twice, or the sender is too slow. */
  private int most() throws IOException {
    keepAlives(FIRST_RATE, SEARCH_SECONDS).result(60); // addresses are resolved, code is compiled
    int good = 0;
    int failures = 0;
    for (int rate = FIRST_RATE; rate <= LAST_RATE && failures < 2; ) {
      if (loses(rate)) {
        failures++;
      } else {
        good = rate;
        rate *= 2;
        failures = 0;
      }
    }
    if (good == 0) {
      throw new CommandException("not even " + FIRST_RATE + " keep-alives a second are answered");
    }
    return good;
  }

  private boolean loses(int rate) throws IOException {
    Map<String, Long> result = keepAlives(rate, SEARCH_SECONDS).result(60);
    long lost = result.get("sent") - result.get("answered");
    boolean slow = result.get("millis") > SEARCH_SECONDS * 1100L;
    stage.out().printf("  %d/s: %d lost%s%n", rate, lost, slow ? ", too slow" : "");
    return slow || lost > result.get("sent") * MOST_LOST;
  }

  private Tool keepAlives(int rate, int seconds) throws IOException {
    return Tool.start(
        stage.testbed(),
        "user",
        stage.unique("agent"),
        KeepAliveStream.class,
        stage.server(false).getHostAddress(),
        5060,
        rate,
        Math.multiplyExact(rate, seconds),
        4000,
        "alone");
  }

  private Tool source(int port, int rate, int seconds) throws IOException {
    return Tool.start(
        stage.testbed(),
        "user",
        stage.unique("source"),
        UdpSource.class,
        stage.server(false).getHostAddress(),
        port,
        rate,
        rate * seconds);
  }

  private boolean soak(Path module, int rate, int seconds) throws IOException {
    NodeProcesses node = NodeProcesses.of(stage.testbed(), "node");
    settle();
    long seen = server.read();
    long turned = Stage.counter(stage.counters(), "turned");
    long start = System.nanoTime();
    Tool sink =
        Tool.start(
                stage.testbed(),
                "server",
                stage.unique("sink"),
                UdpSink.class,
                FOREIGN_PORT,
                FOREIGN * seconds)
            .await("ready");
    Tool foreign = source(FOREIGN_PORT, FOREIGN, seconds);
    Tool passing = source(5060, PASSING, seconds);
    Tool agent = keepAlives(rate, seconds);
    Vitals warm = null;
    while (elapsed(start) < seconds - 5) {
      change(module);
      if (warm == null && visits >= 4 && elapsed(start) > Math.min(seconds / 3, 300)) {
        leave();
        warm = Vitals.take(node);
      }
      Wait.pause(CHANGE_MS);
    }
    leave();
    if (warm == null) {
      throw new CommandException("no module came and went often enough: the machine is too busy");
    }
    Map<String, Long> kept = agent.result(120);
    long passed = passing.result(120).get("sent");
    long sent = foreign.result(120).get("sent");
    long came = sink.result(120).get("received");
    settle();
    Vitals end = Vitals.take(node);
    long reached = server.read() - seen;
    boolean kind = report(kept, turned, passed, reached, sent - came);
    return end.flat(warm, stage) && kind;
  }

  private boolean report(
      Map<String, Long> kept, long turnedBefore, long passed, long reached, long lost)
      throws IOException {
    ObjectNode counters = stage.counters();
    long turned = Stage.counter(counters, "turned") - turnedBefore;
    long gone = kept.get("sent") + passed - turned - reached;
    long most = (long) (kept.get("sent") * MOST_LOST);
    Table table = new Table("", "", "allowed", "");
    boolean holds = row(table, "keep-alives lost on the way", gone, most);
    holds &= row(table, "others to that port that are missing", Math.max(0, passed - reached), 0);
    holds &= row(table, "datagrams of others lost", lost, 0);
    holds &= row(table, "held in the node", Stage.counter(counters, "held"), 0);
    holds &= row(table, "modules whose threads or classes stayed, of " + visits, leaks, 0);
    stage
        .out()
        .printf(
            "  %d visits; %d keep-alives: the node answered %d, %d reached the server; %d without answer%n",
            visits,
            kept.get("sent"),
            turned,
            Math.max(0, reached - passed),
            kept.get("sent") - kept.get("answered"));
    stage.show(table);
    return holds;
  }

  private static boolean row(Table table, String what, long value, long most) {
    table.row(what, value, most, value <= most ? "ok" : "WRONG");
    return value <= most;
  }

  private void change(Path module) throws IOException {
    if (visitor == null) {
      visitor = stage.deploy(module, 5060, Map.of());
      visits++;
    } else {
      leave();
    }
  }

  private void leave() throws IOException {
    if (visitor != null) {
      leaks += stage.why(visitor).path("history").toString().contains("leak:") ? 1 : 0;
      stage.remove(visitor);
      visitor = null;
    }
  }

  /** The node's counters are a little old: those of after the last packet are wanted. */
  private void settle() throws IOException {
    JsonNode last = stage.counters().findPath("pktio");
    for (int reads = 0, same = 0; reads < PATIENCE.toSeconds() && same < 3; reads++) {
      Wait.pause(1000);
      JsonNode now = stage.counters().findPath("pktio");
      same = now.path("received").equals(last.path("received")) ? same + 1 : 0;
      last = now;
    }
  }

  private static long elapsed(long start) {
    return Duration.ofNanos(System.nanoTime() - start).toSeconds();
  }
}
