// SPDX-License-Identifier: Apache-2.0
package org.netserv.process;

import java.util.Locale;

/**
 * Kinds of work that a node may refuse under load. The cheapest refusals come first: the state from
 * which each kind is refused rises from top to bottom. What runs is no kind of work here, because
 * load never ends it: refreshes, REMOVEs, repetitions, answers and the operator's commands.
 */
public enum Work {
  /** A request of a source or a publisher beyond its own share. */
  OVER_SHARE(LoadState.STRAINED),
  /** A change in the name of a publisher that this node does not know. */
  UNKNOWN(LoadState.STRAINED),
  /** A change whose signature nobody has verified, and a message without one. */
  UNSIGNED(LoadState.STRAINED),
  /** A PROBE of a stranger, within the share of its source. */
  STRANGER(LoadState.SATURATED),
  /** A connection of a source that has none. */
  CONNECTION(LoadState.SATURATED),
  /** A new module or version of a registered publisher, within its share. */
  PUBLISHER(LoadState.EXHAUSTED);

  private final LoadState refusedAt;

  Work(LoadState refusedAt) {
    this.refusedAt = refusedAt;
  }

  /** The first state in which the work is refused. */
  public LoadState refusedAt() {
    return refusedAt;
  }

  /** The word in status and counters. */
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
