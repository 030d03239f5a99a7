// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios.deny;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.netserv.lab.testbed.NodeDaemon;
import org.netserv.policy.IsolationPolicy;

/**
 * Leaves layers out of containers. Without all layers of its list an attempt has to succeed, or a
 * layer that is not in the list denies it. Where one layer is there and no other, that layer denies
 * the attempt, or its name does not belong in the list. Attempts that lack the same layers share a
 * container of a publisher of its own.
 */
final class Peeling {
  private static final int FIRST_INDEX = 100;
  private static final int UNLIMITED_MIB = 2048;

  /** A container: the publisher that lends its policy, and the layers that are left out. */
  private record Place(String publisher, Set<String> without) {

    /**
     * Returns a container with one layer, and with the layer below it if it cannot do without.
     * Limits of the virtual machine count as a layer.
     */
    static Place alone(String publisher, String layer) {
      Set<String> without = new TreeSet<>(IsolationPolicy.LAYERS);
      without.add(LayerRows.JVM);
      without.remove(layer);
      if (layer.equals(LayerRows.RULES)) {
        without.remove(LayerRows.NET);
      }
      return new Place(publisher, without);
    }
  }

  /** Makes one trial of an attempt in a container. */
  private interface Trial {
    void in(Container container) throws IOException;
  }

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
    Map<Place, List<Trial>> together = new LinkedHashMap<>();
    for (Peeled peeled : all.values()) {
      Place place = new Place(peeled.attempt.ground(), new TreeSet<>(peeled.without()));
      add(together, place, container -> container.without(peeled));
    }
    run(together, place -> "without " + String.join(", ", place.without()));
    Map<Place, List<Trial>> alone = new LinkedHashMap<>();
    Map<Place, String> names = new HashMap<>();
    for (Peeled peeled : all.values()) {
      for (String layer : peeled.candidates()) {
        Place place = Place.alone(peeled.attempt.ground(), layer);
        names.put(place, layer + " alone");
        add(alone, place, container -> container.alone(peeled, layer));
      }
    }
    run(alone, names::get);
  }

  private static void add(Map<Place, List<Trial>> trials, Place place, Trial trial) {
    trials.computeIfAbsent(place, key -> new ArrayList<>()).add(trial);
  }

  private void run(Map<Place, List<Trial>> trials, Function<Place, String> name)
      throws IOException {
    for (Map.Entry<Place, List<Trial>> one : trials.entrySet()) {
      try (Container container = new Container(one.getKey(), name.apply(one.getKey()))) {
        for (Trial next : one.getValue()) {
          next.in(container);
        }
      }
    }
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

    Container(Place place, String name) throws IOException {
      this.name = name;
      String publisher = "without-" + ++containers;
      Set<String> without = place.without();
      ObjectNode policy = grounds.policy("node", place.publisher());
      policy.put("index", FIRST_INDEX + containers);
      policy.remove("take"); // no two publishers may take the connections of an address
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

    void without(Peeled peeled) throws IOException {
      Attempt attempt = peeled.attempt;
      peeled.without(attempt(attempt));
      Attempt.Control control = attempt.control();
      if (control.kind() == Attempt.Kind.COUNTERPART) {
        peeled.counterpart =
            AttemptTrial.tried(
                () -> trial.in(ground, attempt, control.argument(), control.judge()));
        teller.say("  counterpart", attempt, peeled.counterpart);
      }
    }

    void alone(Peeled peeled, String layer) throws IOException {
      peeled.alone(layer, attempt(peeled.attempt));
    }

    private Outcome attempt(Attempt attempt) {
      Outcome outcome =
          AttemptTrial.tried(() -> trial.in(ground, attempt, attempt.argument(), attempt.judge()));
      teller.say(name, attempt, outcome);
      return outcome;
    }

    @Override
    public void close() throws IOException {
      ground.clear();
    }
  }
}
