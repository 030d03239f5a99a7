// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios.deny;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Findings about the layers that deny one attempt. */
final class Peeled {
  final Attempt attempt;

  /** Outcome of the counterpart in the same container. */
  Outcome counterpart;

  private final List<String> listed;
  private final Map<String, Outcome> alone = new LinkedHashMap<>();
  private Outcome without;

  /**
   * Makes findings for an attempt.
   *
   * @param byJava true if the layer {@code java} was the first to deny the attempt
   */
  Peeled(Attempt attempt, boolean byJava) {
    this.attempt = attempt;
    this.listed = new ArrayList<>(attempt.layers());
    if (byJava) {
      listed.add(0, LayerRows.JAVA);
    }
  }

  /** Returns the layers that are left out together, in a container with all the others. */
  List<String> without() {
    return attempt.removable() ? List.copyOf(listed) : List.of(LayerRows.JAVA);
  }

  /** Records the outcome without these layers. */
  void without(Outcome outcome) {
    without = outcome;
  }

  /**
   * Returns the layers to try alone. The only layer of a list is not tried: the attempt succeeds
   * where just that layer is left out.
   */
  List<String> candidates() {
    boolean several = attempt.removable() && listed.size() > 1;
    return several && without.succeeded() ? List.copyOf(listed) : List.of();
  }

  /** Records the outcome in a container with this layer and no other. */
  void alone(String layer, Outcome outcome) {
    alone.put(layer, outcome);
  }

  /** Returns the listed layers, without those that do not deny the attempt alone. */
  List<String> layers() {
    return listed.stream()
        .filter(layer -> !alone.containsKey(layer) || !alone.get(layer).succeeded())
        .toList();
  }

  /**
   * Returns true if the denial is explained. Either the attempt succeeds without its layers, or the
   * next obstacle is no layer and was seen.
   */
  boolean explained() {
    if (failure() != null) {
      return false;
    }
    return attempt.removable()
        ? without.succeeded() && !layers().isEmpty()
        : !without.succeeded() && !LayerRows.isJava(without);
  }

  /** Returns the first outcome that says nothing, because the scenario failed; null = none. */
  private Outcome failure() {
    if (without == null) {
      return Outcome.denied(AttemptTrial.NOT_TRIED + "left out");
    }
    return notTried(without)
        ? without
        : alone.values().stream().filter(Peeled::notTried).findFirst().orElse(null);
  }

  private static boolean notTried(Outcome outcome) {
    return outcome.saw().startsWith(AttemptTrial.NOT_TRIED);
  }

  String inWords() {
    if (!explained()) {
      Outcome failure = failure();
      return "NOT EXPLAINED: " + (failure == null ? without : failure).brief(60);
    }
    List<String> layers = layers();
    String then = "then " + String.join(", ", layers.subList(1, layers.size()));
    if (!attempt.removable()) {
      return then + ": " + without.brief(60);
    }
    return layers.size() == 1 ? "succeeds" : then;
  }
}
