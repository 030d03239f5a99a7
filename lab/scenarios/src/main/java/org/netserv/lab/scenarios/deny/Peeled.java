// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios.deny;

import java.util.ArrayList;
import java.util.List;

/** What is known of the layers that deny one attempt. */
final class Peeled {
  final Attempt attempt;

  /** How its counterpart went, in the same container. */
  Outcome counterpart;

  private final List<String> layers;
  private Outcome without;
  private Outcome wrong;

  /** At the end of the list, those that were seen to deny it alone: rather the first ones stay. */
  private int alone;

  /** {@code byJava} = the first layer to deny it was {@code java}. */
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

  /** What it has to do without next time. */
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

  /** How it went without them. */
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

  /** Nothing is left that would stop it, or the next thing that does is no layer and was seen. */
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
