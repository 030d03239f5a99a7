// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.run.deny;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.netserv.lab.CommandException;
import org.netserv.lab.node.NodeDaemon;

/**
 * Takes layers away, first the one that denied an attempt, then one more after the other, until it
 * succeeds. Attempts that do without the same layers share a container, of a publisher of its own.
 */
final class Peeling {
  private static final int FIRST_INDEX = 100;
  private static final int UNLIMITED_MIB = 2048;

  /** One attempt on its way. */
  private static final class Peeled {
    final Attempt attempt;
    final List<String> layers;
    int taken = 1;
    Outcome last;

    Peeled(Attempt attempt, List<String> layers) {
      this.attempt = attempt;
      this.layers = layers;
    }

    boolean open() {
      return (last == null || !last.succeeded()) && taken <= layers.size();
    }
  }

  private final Trial trial;
  private final Grounds grounds;
  private final Map<Attempt, Peeled> all = new LinkedHashMap<>();
  private int containers;

  Peeling(Trial trial, Grounds grounds) {
    this.trial = trial;
    this.grounds = grounds;
  }

  /** {@code denied} is how it went in a whole container. */
  void add(Attempt attempt, Outcome denied) {
    List<String> layers = new ArrayList<>(attempt.layers());
    if (denied.saw().contains("access denied (")) {
      layers.add(0, Layers.JAVA);
    }
    all.put(attempt, new Peeled(attempt, layers));
  }

  void run() throws IOException {
    Map<Set<String>, List<Peeled>> round = open();
    while (!round.isEmpty()) {
      for (Map.Entry<Set<String>, List<Peeled>> one : round.entrySet()) {
        try (Container container = new Container(one.getKey())) {
          for (Peeled peeled : one.getValue()) {
            peeled.last = container.attempt(peeled.attempt);
          }
        }
        one.getValue().stream().filter(p -> !p.last.succeeded()).forEach(p -> p.taken++);
      }
      round = open();
    }
  }

  private Map<Set<String>, List<Peeled>> open() {
    Map<Set<String>, List<Peeled>> round = new LinkedHashMap<>();
    all.values().stream()
        .filter(Peeled::open)
        .forEach(
            p ->
                round
                    .computeIfAbsent(
                        new TreeSet<>(p.layers.subList(0, p.taken)), key -> new ArrayList<>())
                    .add(p));
    return round;
  }

  /** What denied it first. */
  String layer(Attempt attempt) {
    Peeled peeled = all.get(attempt);
    return (peeled == null ? attempt.layers() : peeled.layers).get(0);
  }

  /** Whether it is known what denies it, to the last layer. */
  boolean explained(Attempt attempt) {
    Peeled peeled = all.get(attempt);
    return peeled == null || (peeled.last != null && peeled.last.succeeded());
  }

  /** What happens without that layer, in words. */
  String without(Attempt attempt) {
    Peeled peeled = all.get(attempt);
    if (peeled == null) {
      return "-";
    }
    if (!peeled.last.succeeded()) {
      return "NOT EXPLAINED: " + peeled.last.brief(60);
    }
    return peeled.taken == 1
        ? "succeeds"
        : "then " + String.join(", ", peeled.layers.subList(1, peeled.taken));
  }

  /** A publisher's container without those layers. */
  private final class Container implements AutoCloseable {
    private final Ground ground;

    Container(Set<String> without) throws IOException {
      String publisher = "without-" + ++containers;
      ObjectNode policy = grounds.policy("node", Attempt.HARMLESS);
      policy.put("index", FIRST_INDEX + containers);
      if (without.contains(Layers.JVM)) {
        ((ObjectNode) policy.path("quotas"))
            .put("direct", UNLIMITED_MIB)
            .put("metaspace", UNLIMITED_MIB);
      }
      ObjectNode config = grounds.config("control");
      ArrayNode list = config.putObject("isolation").putArray("without");
      without.stream().filter(Layers::removable).forEach(list::add);
      NodeDaemon.reconfigure(grounds.testbed(), "control", config, publisher, policy);
      ground = grounds.ground("control", publisher);
    }

    Outcome attempt(Attempt attempt) throws IOException {
      try {
        return trial.in(ground, attempt, attempt.argument(), attempt.judge());
      } catch (CommandException e) {
        return Outcome.denied(e.getMessage());
      }
    }

    @Override
    public void close() throws IOException {
      ground.clear();
    }
  }
}
