// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import org.netserv.lab.testbed.base.Wait;

/**
 * Measures the routing state of very many sessions in the node. Handshakes make the states,
 * refreshes hold them, and both sides count them. The bench also measures the memory of one state.
 */
final class StatesBench {
  private static final int WARM_UP_SECONDS = 8;
  private static final int FILL_SECONDS = 1800;

  /**
   * Limit for states to expire. It is longer than the validity of a few states and longer than an
   * answer may be late.
   */
  private static final Duration EXPIRY = Duration.ofMinutes(5);

  private static final double GOAL_KB = 4;
  private static final double STRETCH_KB = 2;

  private final Bench bench;
  private final BenchNode node;

  StatesBench(Bench bench, BenchNode node) {
    this.bench = bench;
    this.node = node;
  }

  void run() throws IOException {
    Plan plan = bench.plan();
    int most = Math.max(plan.states(), plan.stretch());
    try (Conversation load = bench.load(most + 400_000)) {
      long empty = plan.memory() ? empty(load) : 0;
      fill(load, plan.states());
      if (plan.memory()) {
        memory(plan.states(), empty, "at most 4.0 KB", GOAL_KB, true);
      }
      hold(load, plan);
      if (plan.stretch() > plan.states()) {
        fill(load, plan.stretch() - plan.states());
        memory(plan.stretch(), empty, "at most 2.0 KB", STRETCH_KB, false);
      }
    }
  }

  /**
   * Measures the memory of a node that has had many states and now has none. Code and tables of the
   * node are then in memory.
   */
  private long empty(Conversation load) throws IOException {
    bench.step("warm up, and wait until the states of that are gone");
    load.ask("rate " + WARM_UP_SECONDS + " " + bench.plan().outstanding());
    load.ask("forget");
    await("the states of the warm-up to expire", 0, EXPIRY);
    long empty = node.residentKb();
    bench.found("RSS of nsis-gist without states", kb(empty));
    return empty;
  }

  private void fill(Conversation load, int more) throws IOException {
    bench.step("make " + number(more) + " states");
    long before = node.counter("states-responding");
    Map<String, Double> made =
        load.ask("fill " + more + " " + bench.plan().outstanding() + " " + FILL_SECONDS);
    bench.found("validity that the node gives then", seconds(made.get("validity")));
    await("as many states in the node", before + more, EXPIRY);
  }

  private void await(String what, long states, Duration most) throws IOException {
    Wait.until(what, most, () -> node.counter("states-responding") == states);
  }

  private void memory(int states, long empty, String goal, double most, boolean promised)
      throws IOException {
    long resident = node.residentKb();
    double each = (resident - empty) / (double) states;
    String what = "memory of each of " + number(states) + " states";
    String measured = String.format(Locale.ROOT, "%.2f KB (RSS %s)", each, kb(resident));
    if (promised) {
      bench.judged(what, measured, goal, each <= most);
    } else {
      bench.stretch(what, measured, goal, each <= most);
    }
  }

  private void hold(Conversation load, Plan plan) throws IOException {
    bench.step("hold them for " + plan.holdSeconds() + " s");
    Map<String, Double> before = load.ask("report");
    long created = node.counter("state-created");
    long expired = node.counter("state-expired");
    Map<String, Long> dropped = node.dropped();
    long fewest = Long.MAX_VALUE;
    for (long end = System.nanoTime() + Duration.ofSeconds(plan.holdSeconds()).toNanos();
        System.nanoTime() < end; ) {
      Wait.pause(2000);
      fewest = Math.min(fewest, node.counter("states-responding"));
    }
    Map<String, Double> after = load.ask("report");
    long gone = node.counter("state-expired") - expired;
    long anew = node.counter("state-created") - created;
    String held = number(plan.states());
    bench.judged(
        "states in the node, fewest at any time", number(fewest), held, fewest == plan.states());
    bench.judged("expired in the node", number(gone), "0", gone == 0);
    bench.judged("made anew in the node", number(anew), "0", anew == 0);
    bench.judged(
        "held by the querier",
        number(Math.round(after.get("held"))),
        held,
        after.get("held") == plan.states());
    bench.judged(
        "lost, says the querier",
        difference(before, after, "lost"),
        "0",
        none(before, after, "lost"));
    bench.judged(
        "refreshes that found no state",
        difference(before, after, "reinstalled"),
        "0",
        none(before, after, "reinstalled"));
    bench.found(
        "refreshes in " + plan.holdSeconds() + " s", difference(before, after, "refreshes"));
    bench.found("Queries sent again", difference(before, after, "retransmissions"));
    bench.found("validity that the node gives", seconds(after.get("validity")));
    node.dropped()
        .forEach(
            (name, count) -> {
              if (count > dropped.get(name)) {
                bench.found("in the node: " + name, number(count - dropped.get(name)));
              }
            });
  }

  private static boolean none(Map<String, Double> before, Map<String, Double> after, String name) {
    return after.get(name).equals(before.get(name));
  }

  private static String difference(
      Map<String, Double> before, Map<String, Double> after, String name) {
    return number(Math.round(after.get(name) - before.get(name)));
  }

  private static String number(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  private static String kb(long value) {
    return String.format(Locale.ROOT, "%,d KB", value);
  }

  private static String seconds(double millis) {
    return String.format(Locale.ROOT, "%.1f s", millis / 1000);
  }
}
