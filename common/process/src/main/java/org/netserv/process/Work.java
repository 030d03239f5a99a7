// SPDX-License-Identifier: Apache-2.0
package org.netserv.process;

import java.util.Locale;

/**
 * Kinds of work that a node may refuse under load. The cheapest refusals come first. The state from
 * which each kind is refused rises from top to bottom. Running work is no kind here, because load
 * never ends it: refreshes, REMOVEs, repetitions, answers and the operator's commands.
 */
public enum Work {
  /** A request of a source or a publisher beyond its own share. */
  OVER_SHARE(LoadState.STRAINED),
  /** A change in the name of a publisher that this node does not know. */
  UNKNOWN(LoadState.STRAINED),
  /** A change with a signature that nobody has verified, and a message without a signature. */
  UNSIGNED(LoadState.STRAINED),
  /** A PROBE of a stranger, within the share of its source. */
  STRANGER(LoadState.SATURATED),
  /** A connection of a source that has no other. */
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
