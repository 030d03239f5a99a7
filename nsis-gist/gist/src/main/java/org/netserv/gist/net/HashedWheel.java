// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import java.util.BitSet;
import org.netserv.gist.port.Timers.Timer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A hashed wheel of timers. Setting and cancelling a timer costs the same with any number of
 * timers, and a timer takes 40 bytes. A slot holds the timers of its tick, including timers of
 * later turns of the wheel. The wheel passes over the latter when their slot comes too early. Not
 * thread-safe.
 */
final class HashedWheel {
  private static final Logger LOG = LoggerFactory.getLogger(HashedWheel.class);

  /** Length of a tick in ms. No timer fires before its time, and none more than a tick after it. */
  static final long TICK = 8;

  /** Slots: one turn takes 33 s, longer than nearly all timers of GIST. */
  private static final int SLOTS = 4096;

  private final Entry[] slots = new Entry[SLOTS];
  private final BitSet used = new BitSet(SLOTS);

  /** The last tick that was worked off. */
  private long lastTick;

  private int size;

  HashedWheel(long now) {
    lastTick = now / TICK;
  }

  /** A timer in the list of its slot; {@code slot} is -1 when it is in no list. */
  private final class Entry implements Timer {
    private final long tick;
    private Runnable task;
    private int slot = -1;
    private Entry before;
    private Entry after;

    Entry(long tick, Runnable task) {
      this.tick = tick;
      this.task = task;
    }

    @Override
    public void cancel() {
      task = null;
      if (slot >= 0) {
        unlink(this);
      }
    }

    void run() {
      Runnable due = task;
      task = null;
      if (due == null) {
        return; // cancelled by another timer of the same tick
      }
      try {
        due.run();
      } catch (RuntimeException e) {
        // One broken task must not stop all the others.
        LOG.error("timer failed", e);
      }
    }
  }

  int size() {
    return size;
  }

  /** Sets a timer for this moment, or for the next tick when the moment is past. */
  Timer set(long moment, Runnable task) {
    Entry entry = new Entry(Math.max(lastTick + 1, (moment + TICK - 1) / TICK), task);
    link(entry);
    return entry;
  }

  /** Returns the first moment at which a timer may be due; -1 = never. */
  long next() {
    if (size == 0) {
      return -1;
    }
    int from = slot(lastTick + 1);
    int slot = used.nextSetBit(from);
    if (slot < 0) {
      slot = used.nextSetBit(0) + SLOTS;
    }
    return (lastTick + 1 + slot - from) * TICK;
  }

  /** Fires all due timers, tick by tick. Their tasks may set and cancel timers. */
  void advance(long now) {
    long tick = now / TICK;
    while (size > 0 && lastTick < tick) {
      long due = Math.min(tick, next() / TICK);
      lastTick = due;
      fire(slot(due), due);
    }
    lastTick = Math.max(lastTick, tick);
  }

  /**
   * Fires the due timers of a slot in the order in which they were set. The slot has the newest
   * first, so the method turns them round.
   */
  private void fire(int slot, long due) {
    Entry first = null;
    for (Entry entry = slots[slot], after; entry != null; entry = after) {
      after = entry.after;
      if (entry.tick <= due) {
        unlink(entry);
        entry.after = first;
        first = entry;
      }
    }
    for (Entry entry = first; entry != null; entry = entry.after) {
      entry.run();
    }
  }

  private void link(Entry entry) {
    int slot = slot(entry.tick);
    entry.slot = slot;
    entry.after = slots[slot];
    if (entry.after != null) {
      entry.after.before = entry;
    }
    slots[slot] = entry;
    used.set(slot);
    size++;
  }

  private void unlink(Entry entry) {
    if (entry.before == null) {
      slots[entry.slot] = entry.after;
    } else {
      entry.before.after = entry.after;
    }
    if (entry.after != null) {
      entry.after.before = entry.before;
    }
    if (slots[entry.slot] == null) {
      used.clear(entry.slot);
    }
    entry.before = null;
    entry.after = null;
    entry.slot = -1;
    size--;
  }

  private static int slot(long tick) {
    return (int) (tick & (SLOTS - 1));
  }
}
