// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.util.BitSet;
import org.netserv.gist.port.Timers;

/**
 * Very many timers on one {@link Timers.Timer}: a wheel of wheels with 256 slots each, the lowest
 * with slots of 1 ms. Setting and cancelling cost the same with any number of timers. A timer costs
 * no object of its own, because {@link Entry} is the base class of the waiting objects. The thread
 * is not woken while nothing is due.
 *
 * <p>Invariant: an entry lies on the level of the highest byte in which its deadline differs from
 * {@link #clock}, in the slot of that byte. So all entries of a level are due before the entries of
 * the levels above, and the first used slot of the lowest used level is the next thing to do.
 */
public final class TimerWheel {
  private static final int LEVELS = 5;
  private static final int SLOTS = 256;

  /** Last time of the wheel, 34 years after the start. */
  private static final long END = (1L << (8 * LEVELS)) - 1;

  /** An object that can wait for one point in time. */
  public abstract static class Entry {
    private Entry previous;
    private Entry next;
    private long deadline;

    /** Called when the time has come, or passed. The entry is no longer set. */
    protected abstract void due();

    final boolean isSet() {
      return next != null;
    }
  }

  /** The head of the ring of entries in a slot. */
  private static final class Slot extends Entry {
    private Slot() {
      super.previous = this;
      super.next = this;
    }

    private boolean isEmpty() {
      return super.next == this;
    }

    @Override
    protected void due() {
      throw new IllegalStateException();
    }
  }

  private final Timers timers;
  private final Slot[][] slots = new Slot[LEVELS][SLOTS];
  private final BitSet[] used = new BitSet[LEVELS];
  private final long start;
  private long clock;
  private long wakeAt = Long.MAX_VALUE;
  private Timers.Timer wake;
  private boolean running;
  private int size;

  TimerWheel(Timers timers) {
    this.timers = timers;
    this.start = timers.now();
    for (int level = 0; level < LEVELS; level++) {
      used[level] = new BitSet(SLOTS);
      for (int slot = 0; slot < SLOTS; slot++) {
        slots[level][slot] = new Slot();
      }
    }
  }

  /** Returns the milliseconds since the wheel was made. */
  long now() {
    return timers.now() - start;
  }

  /**
   * Sets the entry, again or anew, to a time of {@link #now}. A time that has passed is due at
   * once.
   */
  void set(Entry entry, long deadline) {
    unlink(entry);
    entry.deadline = Math.min(Math.max(deadline, clock + 1), END);
    place(entry);
    wakeUp();
  }

  /** Cancels the entry. Does nothing when it is not set. */
  void cancel(Entry entry) {
    unlink(entry);
    if (size == 0) {
      wakeUp();
    }
  }

  /** Returns the number of entries that are set. */
  int size() {
    return size;
  }

  private void unlink(Entry entry) {
    if (entry.next == null) {
      return;
    }
    size--;
    entry.previous.next = entry.next;
    entry.next.previous = entry.previous;
    entry.next = null;
    entry.previous = null;
    // The slot stays marked as used, and the next visit finds it empty.
  }

  private void place(Entry entry) {
    size++;
    int level = level(entry.deadline);
    int index = slot(entry.deadline, level);
    Slot head = slots[level][index];
    Entry last = ((Entry) head).previous;
    entry.next = head;
    entry.previous = last;
    last.next = entry;
    ((Entry) head).previous = entry;
    used[level].set(index);
  }

  private int level(long deadline) {
    return (63 - Long.numberOfLeadingZeros((deadline ^ clock) | 1)) / 8;
  }

  private static int slot(long time, int level) {
    return (int) (time >>> (8 * level)) & (SLOTS - 1);
  }

  /** Returns the time when the next used slot begins; the deadline itself on the lowest level. */
  private long nextTime() {
    for (int level = 0; level < LEVELS; level++) {
      int from = slot(clock, level);
      int index = used[level].nextSetBit(from);
      while (index >= 0 && slots[level][index].isEmpty()) {
        used[level].clear(index);
        index = used[level].nextSetBit(index);
      }
      if (index >= 0) {
        long above = clock >>> (8 * (level + 1)) << (8 * (level + 1));
        return above | (long) index << (8 * level);
      }
    }
    return Long.MAX_VALUE;
  }

  private void wakeUp() {
    if (running) {
      return;
    }
    long next = size == 0 ? Long.MAX_VALUE : nextTime();
    if (next == wakeAt) {
      return;
    }
    if (wake != null) {
      wake.cancel();
      wake = null;
    }
    wakeAt = next;
    if (next != Long.MAX_VALUE) {
      wake = timers.schedule(Math.max(0, next - now()), this::run);
    }
  }

  private void run() {
    wake = null;
    wakeAt = Long.MAX_VALUE;
    running = true;
    try {
      long now = now();
      for (long next = nextTime(); next <= now; next = nextTime()) {
        clock = next;
        empty(next);
      }
      clock = Math.max(clock, now);
    } finally {
      running = false;
      wakeUp();
    }
  }

  /**
   * Takes the slots that begin now. Entries above the lowest level move down. Then they are due.
   */
  private void empty(long time) {
    for (int level = LEVELS - 1; level >= 0; level--) {
      Slot head = slots[level][slot(time, level)];
      while (!head.isEmpty()) {
        Entry entry = ((Entry) head).next;
        unlink(entry);
        if (entry.deadline <= time) {
          entry.due();
        } else {
          place(entry);
        }
      }
    }
  }
}
