// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios.deny;

import java.util.ArrayList;
import java.util.List;

/** Findings about the layers that deny one attempt. */
final class Peeled {
  final Attempt attempt;

  /** Outcome of the counterpart in the same container. */
  Outcome counterpart;

  private final List<String> layers;
  private Outcome without;
  private Outcome wrong;

  /**
   * Count of layers at the end of the list that were seen to deny the attempt alone. The list is
   * tried from its end, so that the first layers rather stay.
   */
  private int alone;

  /**
   * Makes findings for an attempt.
   *
   * @param byJava true if the layer {@code java} was the first to deny the attempt
   */
  Peeled(Attempt attempt, boolean byJava) {
    this.attempt = attempt;
    this.layers = new ArrayList<>(attempt.layers());
    if (byJava) {
      layers.add(0, LayerRows.JAVA);
    }
  }

  boolean open() {
    if (without == null) {
      return true;
    }
    boolean several = attempt.removable() && layers.size() > 1;
    return several && without.succeeded() && wrong == null && alone < layers.size();
  }

  /** Returns the layers to leave out next time. */
  List<String> without() {
    if (!attempt.removable()) {
      return List.of(LayerRows.JAVA);
    }
    List<String> names = new ArrayList<>(layers);
    if (without != null) {
      names.remove(next());
    }
    return names;
  }

  /** Records the outcome without these layers. */
  void went(Outcome outcome) {
    if (without == null) {
      without = outcome;
    } else if (outcome.saw().startsWith(AttemptTrial.NOT_TRIED)) {
      wrong = outcome;
    } else if (outcome.succeeded()) {
      layers.remove(next());
    } else {
      alone++;
    }
  }

  private int next() {
    return layers.size() - 1 - alone;
  }

  List<String> layers() {
    return layers;
  }

  /**
   * Returns true if the denial is explained. Either the attempt succeeds without its layers, or the
   * next obstacle is no layer and was seen.
   */
  boolean explained() {
    if (without == null || wrong != null || without.saw().startsWith(AttemptTrial.NOT_TRIED)) {
      return false;
    }
    return attempt.removable()
        ? without.succeeded() && !layers.isEmpty()
        : !without.succeeded() && !LayerRows.isJava(without);
  }

  String inWords() {
    if (!explained()) {
      return "NOT EXPLAINED: " + (wrong == null ? without : wrong).brief(60);
    }
    String then = "then " + String.join(", ", layers.subList(1, layers.size()));
    if (!attempt.removable()) {
      return then + ": " + without.brief(60);
    }
    return layers.size() == 1 ? "succeeds" : then;
  }
}
