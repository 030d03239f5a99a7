// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench;

import java.util.Arrays;
import java.util.function.IntConsumer;

/**
 * One deadline for each of very many numbered things, in three arrays. A wheel of 10 ms slots; what
 * is later than one turn goes round until its turn has come.
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

  /** Nothing is due. */
  DueWheel(int things) {
    next = new int[things];
    previous = new int[things];
    slotAt = new int[things];
    Arrays.fill(heads, NONE);
    Arrays.fill(slotAt, NONE);
  }

  /** Sets the deadline of a thing, milliseconds from the beginning, in the place of another. */
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

  /** Harmless when there is none. */
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

  /** Tells each thing whose time has come; its deadline is gone then. */
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
