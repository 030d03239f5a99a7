// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench;

import java.util.Arrays;
import java.util.function.IntConsumer;

/**
 * Deadlines of very many numbered things, at most one for each, in three arrays. The wheel has
 * slots of 10 ms. A deadline later than one turn of the wheel stays in its slot for several turns.
 */
final class DueWheel {
  static final int SLOT_MS = 10;

  private static final int SLOTS = 1 << 14;
  private static final int NONE = -1;

  private final int[] heads = new int[SLOTS];
  private final int[] next;
  private final int[] previous;
  private final int[] slotAt;
  private int clock;

  /** Makes a wheel without deadlines for things 0 to {@code things - 1}. */
  DueWheel(int things) {
    next = new int[things];
    previous = new int[things];
    slotAt = new int[things];
    Arrays.fill(heads, NONE);
    Arrays.fill(slotAt, NONE);
  }

  /**
   * Sets the deadline of a thing, in milliseconds from the beginning. It replaces an earlier
   * deadline.
   */
  void set(int thing, long deadline) {
    cancel(thing);
    int at = (int) Math.max(clock + 1L, deadline / SLOT_MS + 1);
    slotAt[thing] = at;
    int head = at % SLOTS;
    next[thing] = heads[head];
    previous[thing] = NONE;
    if (heads[head] != NONE) {
      previous[heads[head]] = thing;
    }
    heads[head] = thing;
  }

  /** Removes the deadline of a thing, if there is one. */
  void cancel(int thing) {
    if (slotAt[thing] == NONE) {
      return;
    }
    if (previous[thing] == NONE) {
      heads[slotAt[thing] % SLOTS] = next[thing];
    } else {
      next[previous[thing]] = next[thing];
    }
    if (next[thing] != NONE) {
      previous[next[thing]] = previous[thing];
    }
    slotAt[thing] = NONE;
  }

  /** Passes each thing that is due to the consumer, and removes its deadline. */
  void advance(long now, IntConsumer due) {
    while (clock < now / SLOT_MS) {
      clock++;
      for (int thing = heads[clock % SLOTS]; thing != NONE; ) {
        int following = next[thing];
        if (slotAt[thing] <= clock) {
          cancel(thing);
          due.accept(thing);
        }
        thing = following;
      }
    }
  }
}
