// SPDX-License-Identifier: Apache-2.0
package org.netserv.process;

import java.util.HashMap;
import java.util.Map;

/**
 * Counts events by source in windows, within a budget for all sources. While there are no more
 * sources than in the last window, each may take its share of three quarters of the budget. When
 * more sources come, half of the budget goes to the first comers, within shares. Another half is a
 * reserve for the first {@link #FIRST} events of each source, so that a flood from few sources
 * leaves all others their first events.
 *
 * <p>A source with fewer events than the mean gets more, out of an eighth of the budget. Such a
 * source asked before the flood began and has used its first events. A source that is alone may use
 * everything. In a window all sources together take at most 11/8 of the budget, or 13/8 if the
 * first was alone. Memory is bounded likewise, because a refused source is not kept.
 */
public final class FairRate {
  /** Events of a source in each window that the reserve pays for, while it is large enough. */
  public static final int FIRST = 4;

  private final long window;
  private final Map<String, Integer> taken = new HashMap<>();
  private long began = Long.MIN_VALUE;
  private int before;
  private int common;
  private int reserved;
  private int evened;

  /**
   * Creates a rate without any counts.
   *
   * @param window milliseconds
   */
  public FairRate(long window) {
    this.window = window;
  }

  /**
   * Takes one event if the source may have one.
   *
   * @param budget events of all sources in a window; more than 0
   * @param now monotonic milliseconds
   */
  public boolean take(String source, int budget, long now) {
    turn(now);
    if (fromCommon(source, budget)) {
      common++;
    } else if (fromReserve(source, budget)) {
      reserved++;
    } else if (behindOthers(source, budget)) {
      evened++;
    } else {
      return false;
    }
    taken.merge(source, 1, Integer::sum);
    return true;
  }

  /** Tells whether the source may take an event. Takes nothing. */
  public boolean admits(String source, int budget, long now) {
    turn(now);
    return fromCommon(source, budget)
        || fromReserve(source, budget)
        || behindOthers(source, budget);
  }

  private boolean fromCommon(String source, int budget) {
    int sources = sources(source);
    long room = sources == 1 ? budget : sources <= before ? 3L * budget / 4 : budget - budget / 2;
    long share = sources <= before ? room / sources : budget / sources;
    return taken.getOrDefault(source, 0) < Math.max(1, share) && common < Math.max(1, room);
  }

  private boolean fromReserve(String source, int budget) {
    int reserve = Math.max(1, budget / 2);
    int first = Math.max(1, Math.min(FIRST, reserve / sources(source)));
    return taken.getOrDefault(source, 0) < first && reserved < reserve;
  }

  /** Tells whether the source would still have no more than the mean after this event. */
  private boolean behindOthers(String source, int budget) {
    long all = (long) common + reserved + evened;
    long own = taken.getOrDefault(source, 0) + 1L;
    return own * sources(source) <= all && evened < budget / 8;
  }

  private int sources(String asking) {
    return Math.max(before, taken.size() + (taken.containsKey(asking) ? 0 : 1));
  }

  /** Sources that took something in this window. */
  public int sources() {
    return taken.size();
  }

  private void turn(long now) {
    if (began != Long.MIN_VALUE && now - began < window) {
      return;
    }
    before = began != Long.MIN_VALUE && now - began < 2 * window ? taken.size() : 0;
    taken.clear();
    common = 0;
    reserved = 0;
    evened = 0;
    began = now;
  }
}
