// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios.deny;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.netserv.lab.testbed.NodeDaemon;

/**
 * Leaves layers out of containers. Without all layers of its list an attempt has to succeed.
 * Without all but one of them, the one layer has to deny the attempt alone, or its name does not
 * belong in the list. Attempts that lack the same layers share a container of a publisher of its
 * own.
 */
final class Peeling {
  private static final int FIRST_INDEX = 100;
  private static final int UNLIMITED_MIB = 2048;

  /** A container: the publisher that lends its policy, and the layers that are left out. */
  private record Place(String publisher, Set<String> without) {}

  /** Reports the outcome of an attempt. */
  interface Teller {
    void say(String where, Attempt attempt, Outcome outcome);
  }

  private final AttemptTrial trial;
  private final Grounds grounds;
  private final Teller teller;
  private final Map<Attempt, Peeled> all = new LinkedHashMap<>();
  private int containers;

  Peeling(AttemptTrial trial, Grounds grounds, Teller teller) {
    this.trial = trial;
    this.grounds = grounds;
    this.teller = teller;
  }

  /**
   * Adds an attempt.
   *
   * @param denied its outcome in a whole container
   */
  void add(Attempt attempt, Outcome denied) {
    all.put(attempt, new Peeled(attempt, LayerRows.isJava(denied)));
  }

  void run() throws IOException {
    for (Map<Place, List<Peeled>> round = round(); !round.isEmpty(); round = round()) {
      for (Map.Entry<Place, List<Peeled>> one : round.entrySet()) {
        try (Container container = new Container(one.getKey())) {
          for (Peeled peeled : one.getValue()) {
            container.attempt(peeled);
          }
        }
      }
    }
  }

  private Map<Place, List<Peeled>> round() {
    return all.values().stream()
        .filter(Peeled::open)
        .collect(
            Collectors.groupingBy(
                peeled -> new Place(peeled.attempt.ground(), new TreeSet<>(peeled.without())),
                LinkedHashMap::new,
                Collectors.toList()));
  }

  /** Returns the layer that denied the attempt first. */
  String layer(Attempt attempt) {
    Peeled peeled = all.get(attempt);
    List<String> layers = peeled == null ? attempt.layers() : peeled.layers();
    return layers.isEmpty() ? "UNKNOWN" : layers.get(0);
  }

  /** Returns true if every layer that denies the attempt is known, to the last one. */
  boolean explained(Attempt attempt) {
    Peeled peeled = all.get(attempt);
    return peeled == null || peeled.explained();
  }

  /** Returns the outcome without the first layer, in words. */
  String without(Attempt attempt) {
    Peeled peeled = all.get(attempt);
    return peeled == null ? "-" : peeled.inWords();
  }

  /**
   * Returns the counterpart's outcome where only {@code java} was left out; null = nobody has
   * tried.
   */
  Outcome counterpart(Attempt attempt) {
    Peeled peeled = all.get(attempt);
    return peeled == null ? null : peeled.counterpart;
  }

  /** A publisher's container without some layers. */
  private final class Container implements AutoCloseable {
    private final Ground ground;
    private final String name;

    Container(Place place) throws IOException {
      name = "without " + String.join(", ", place.without());
      String publisher = "without-" + ++containers;
      Set<String> without = place.without();
      ObjectNode policy = grounds.policy("node", place.publisher());
      policy.put("index", FIRST_INDEX + containers);
      ObjectNode quotas = (ObjectNode) policy.path("quotas");
      int memory = quotas.path("memory").asInt();
      if (without.contains(LayerRows.JVM)) {
        quotas.put("memory", 2 * UNLIMITED_MIB).put("heap", UNLIMITED_MIB);
        quotas.put("direct", UNLIMITED_MIB).put("metaspace", UNLIMITED_MIB);
      }
      ObjectNode config = grounds.config("control");
      ArrayNode list = config.putObject("isolation").putArray("without");
      without.stream().filter(LayerRows::removable).forEach(list::add);
      NodeDaemon.reconfigure(grounds.testbed(), "control", config, publisher, policy);
      ground = grounds.ground("control", publisher);
      if (without.contains(LayerRows.JVM) && !without.contains("cgroup")) {
        ground.bound(memory);
      }
    }

    void attempt(Peeled peeled) throws IOException {
      Attempt attempt = peeled.attempt;
      Outcome outcome =
          AttemptTrial.tried(() -> trial.in(ground, attempt, attempt.argument(), attempt.judge()));
      teller.say(name, attempt, outcome);
      peeled.went(outcome);
      Attempt.Control control = attempt.control();
      if (control.kind() == Attempt.Kind.COUNTERPART) {
        peeled.counterpart =
            AttemptTrial.tried(
                () -> trial.in(ground, attempt, control.argument(), control.judge()));
        teller.say("  counterpart", attempt, peeled.counterpart);
      }
    }

    @Override
    public void close() throws IOException {
      ground.clear();
    }
  }
}
