// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.netserv.lab.testbed.HostileBundle;
import org.netserv.lab.testbed.LabPublisher.Bundle;
import org.netserv.lab.testbed.NodeProcesses;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.ResultTable;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.capture.PacketCounter;

/**
 * Runs mixed traffic at four fifths of the node's highest rate, while another module beside the
 * answering module comes and goes, and programs of Serval download, move, come and go. Nothing may
 * grow or get stuck. No packet of others may be lost. No packet may bypass the modules because of
 * the visitor.
 *
 * <p>There are three streams:
 *
 * <ul>
 *   <li>Keep-alives, which the module or the kernel in its place answers, because the server is
 *       silent.
 *   <li>Datagrams to the same port, which the module gives to the kernel. They stay there until the
 *       next module comes.
 *   <li>Datagrams of others, which no filter names.
 * </ul>
 *
 * A packet bypasses the modules if it finds the queue full (4,096 places) or gets no answer in time
 * (200 ms). Both happen when the machine has no processor for the node for so long.
 *
 * <p>At a low rate the queue is never full, so each packet must reach pktio or be answered by the
 * kernel, however often filters are written. At a high rate the load follows the machine. The rate
 * is halved when more than one packet in a hundred bypassed the modules, which may not happen
 * often.
 */
public final class Soak implements Scenario {
  private static final int MINUTES = 30;
  private static final double SHARE = 0.8;
  private static final int FIRST_RATE = 500;
  private static final int LAST_RATE = 16_000;
  private static final int SEARCH_SECONDS = 2;
  private static final double MOST_LOST = 0.001;

  /** A rate so low that the packets of half a minute fit into the queue. */
  private static final int LOW_RATE = 100;

  private static final int LOW_SECONDS = 15;
  private static final int SLICE_SECONDS = 15;
  private static final double MOST_PAST = 0.01;
  private static final int LEAST_RATE = 100;

  private static final int FOREIGN_PORT = 7000;
  private static final int FOREIGN = 500;
  private static final int PASSING = 200;

  /** Time from one coming or going of the visitor to the next. */
  private static final int CHANGE_MS = 3000;

  private static final int QUICK_CHANGE_MS = 500;

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** Counter of the packets that the kernel answered by a template. They never come to pktio. */
  private static final String BY_KERNEL = "answers-done";

  private Stage stage;
  private SoakServal serval;
  private PacketCounter server;
  private Bundle visitor;
  private int visits;
  private int leaks;
  private Vitals warm;
  private long keepAlives;
  private long answered;
  private int slices;
  private int crowded;

  @Override
  public String topology() {
    return "soak";
  }

  @Override
  public boolean play(Stage theStage) throws IOException {
    stage = theStage;
    stage.step("deploy the keep-alive responder; how many a second it answers without loss");
    stage.deploy(
        LabHome.dist().resolve("apps/keepalive.jar"),
        5060,
        Map.of("pass-every", "0", "offload", "60"));
    serval = SoakServal.start(stage);
    Path module = HostileBundle.build("Visitor", stage.testbed().state());
    String silence = "iptables-nft -w -t raw -A PREROUTING -p udp --dport 5060 -j DROP";
    stage.testbed().run("server", silence.split(" ", -1));
    server = PacketCounter.install(stage.testbed(), "server", "eth0", 5060);
    int rate = (int) (most() * SHARE);
    stage.step(LOW_RATE + " keep-alives a second, and a visitor in a hurry");
    boolean all = low(module);
    int minutes = stage.minutes(MINUTES);
    stage.step(minutes + " min: " + rate + " keep-alives a second, others, and a visitor");
    return soak(module, rate, minutes * 60) && all;
  }

  /**
   * Searches for the highest rate. The rate doubles until a rate fails twice: keep-alives get no
   * answer, or the sender is too slow.
   */
  private int most() throws IOException {
    keepAlives(FIRST_RATE, SEARCH_SECONDS).result(60); // resolves addresses, compiles code
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
      throw new LabException("not even " + FIRST_RATE + " keep-alives a second are answered");
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
    return stage.keepAlives(rate, Math.multiplyExact(rate, seconds), 4000, "alone");
  }

  /**
   * Checks that each packet meets the rule of its filter and finds a place, whatever happens to
   * other rules.
   */
  private boolean low(Path module) throws IOException {
    settle();
    ObjectNode before = stage.counters();
    Tool agent = keepAlives(LOW_RATE, LOW_SECONDS);
    long start = System.nanoTime();
    while (elapsed(start) < LOW_SECONDS - 1) {
      change(module);
      Wait.pause(QUICK_CHANGE_MS);
    }
    leave();
    Map<String, Long> kept = agent.result(60);
    settle();
    ObjectNode after = stage.counters();
    long late = more(before, after, "deadline");
    long taken = more(before, after, "received") + more(before, after, BY_KERNEL);
    ResultTable table = new ResultTable("at a low rate", "", "allowed", "");
    boolean holds =
        row(table, "neither at pktio nor answered by the kernel", kept.get("sent") - taken, 0);
    holds &= row(table, "no answer, but a deadline", kept.get("sent") - kept.get("answered"), late);
    stage.out().printf("  %d visits%n", visits);
    stage.show(table);
    return holds;
  }

  private static long more(ObjectNode before, ObjectNode after, String name) {
    return Stage.counter(after, name) - Stage.counter(before, name);
  }

  private boolean soak(Path module, int first, int seconds) throws IOException {
    NodeProcesses node = NodeProcesses.of(stage.testbed(), "node", Stage.PUBLISHER);
    serval.begin();
    long seen = server.read();
    ObjectNode before = stage.counters();
    long start = System.nanoTime();
    Tool sink = stage.sink(FOREIGN_PORT, FOREIGN * seconds);
    Tool foreign = stage.datagrams(FOREIGN_PORT, FOREIGN, FOREIGN * seconds);
    Tool passing = stage.datagrams(5060, PASSING, PASSING * seconds);
    for (int rate = first; elapsed(start) < seconds - SLICE_SECONDS && rate >= LEAST_RATE; ) {
      rate = slice(module, rate, node, Math.min(seconds / 3, 300) < elapsed(start));
    }
    leave();
    if (warm == null) {
      throw new LabException("no module came and went often enough: the machine is too busy");
    }
    boolean byName = serval.end();
    long passed = passing.result(seconds).get("sent");
    long sent = foreign.result(120).get("sent");
    long came = sink.result(120).get("received");
    settle();
    Vitals end = Vitals.take(node);
    boolean kind = report(before, passed, server.read() - seen, sent - came);
    return end.flat(warm, stage) && kind && byName;
  }

  /** Runs one slice of the soak and returns the rate of the next slice. */
  private int slice(Path module, int rate, NodeProcesses node, boolean isWarm) throws IOException {
    long start = System.nanoTime();
    Tool agent = keepAlives(rate, SLICE_SECONDS);
    while (elapsed(start) < SLICE_SECONDS) {
      change(module);
      if (warm == null && isWarm && visits >= 4) {
        leave();
        warm = Vitals.take(node);
        serval.warm();
      }
      Wait.pause(CHANGE_MS);
    }
    Map<String, Long> result = agent.result(120);
    long past = result.get("sent") - result.get("answered");
    boolean crowd = past > result.get("sent") * MOST_PAST;
    slices++;
    crowded += crowd ? 1 : 0;
    keepAlives += result.get("sent");
    answered += result.get("answered");
    stage.out().printf("  %d/s: %d of %d past the module%n", rate, past, result.get("sent"));
    return crowd ? rate / 2 : rate;
  }

  private boolean report(ObjectNode before, long passed, long reached, long lost)
      throws IOException {
    ObjectNode after = stage.counters();
    long byKernel = more(before, after, BY_KERNEL);
    long gone = keepAlives + passed - answered - reached;
    int unused = (more(before, after, "flows-taken") > 0 ? 0 : 1) + (byKernel > 0 ? 0 : 1);
    long most = (long) (keepAlives * MOST_LOST);
    ResultTable table = new ResultTable("", "", "allowed", "");
    boolean holds = row(table, "keep-alives lost on the way, or their answers", gone, most);
    holds &= row(table, "quarter minutes with more than 1 % past the module", crowded, slices / 2);
    holds &= row(table, "others to that port that are missing", Math.max(0, passed - reached), 0);
    holds &= row(table, "datagrams of others lost", lost, 0);
    holds &= row(table, "held in the node", Stage.counter(after, "held"), 0);
    holds &= row(table, "flows in the kernel", Stage.counter(after, "flows"), 1);
    holds &= row(table, "of flows and answers, the kernel had none", unused, 0);
    holds &= row(table, "modules whose threads or classes stayed, of " + visits, leaks, 0);
    stage
        .out()
        .printf(
            "  %d visits; %d keep-alives: %d answered, %d by the kernel and %d by the module;"
                + " past the module %d (deadline %d, no slot %d, else no place in the queue);"
                + " %d flows given to the kernel%n",
            visits,
            keepAlives,
            answered,
            byKernel,
            more(before, after, "turned"),
            keepAlives - answered,
            more(before, after, "deadline"),
            more(before, after, "ring_full"),
            more(before, after, "flows-taken"));
    stage.show(table);
    return holds;
  }

  private static boolean row(ResultTable table, String what, long value, long most) {
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

  /** Waits until the node's counters include the last packet, because they are a little old. */
  private void settle() throws IOException {
    long last = taken();
    for (int reads = 0, same = 0; reads < PATIENCE.toSeconds() && same < 3; reads++) {
      Wait.pause(1000);
      long now = taken();
      same = now == last ? same + 1 : 0;
      last = now;
    }
  }

  /** Returns the packets that pktio received or the kernel answered. */
  private long taken() throws IOException {
    ObjectNode now = stage.counters();
    return Stage.counter(now, "received") + Stage.counter(now, BY_KERNEL);
  }

  private static long elapsed(long start) {
    return Duration.ofNanos(System.nanoTime() - start).toSeconds();
  }
}
