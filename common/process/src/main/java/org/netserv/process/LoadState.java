// SPDX-License-Identifier: Apache-2.0
package org.netserv.process;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * The state of a watched resource, from idle to used up. Each state begins at a share of the limit.
 */
public enum LoadState {
  NORMAL(0, 0),
  STRAINED(75, 65),
  SATURATED(90, 80),
  EXHAUSTED(100, 95);

  private final int enter;
  private final int leave;

  /**
   * A state with its hysteresis.
   *
   * @param enter percent of the limit from which a resource is in this state
   * @param leave percent below which the resource may leave the state again
   */
  LoadState(int enter, int leave) {
    this.enter = enter;
    this.leave = leave;
  }

  /** Returns the state for this use alone, without any memory of the state before. */
  static LoadState entered(long used, long limit) {
    LoadState found = NORMAL;
    for (LoadState state : values()) {
      if (used * 100.0 >= state.enter * (double) limit) {
        found = state;
      }
    }
    return found;
  }

  /** Tells whether a resource of this state may go one state down. */
  boolean leaves(long used, long limit) {
    return this != NORMAL && used * 100.0 < leave * (double) limit;
  }

  LoadState below() {
    return switch (this) {
      case EXHAUSTED -> SATURATED;
      case SATURATED -> STRAINED;
      case STRAINED, NORMAL -> NORMAL;
    };
  }

  boolean atLeast(LoadState other) {
    return compareTo(other) >= 0;
  }

  /** The number in counters: 0 for normal, 3 for exhausted. */
  public int level() {
    return switch (this) {
      case NORMAL -> 0;
      case STRAINED -> 1;
      case SATURATED -> 2;
      case EXHAUSTED -> 3;
    };
  }

  /** The state of that number. */
  public static Optional<LoadState> of(int level) {
    return Arrays.stream(values()).filter(state -> state.level() == level).findFirst();
  }

  /** The word in status. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
