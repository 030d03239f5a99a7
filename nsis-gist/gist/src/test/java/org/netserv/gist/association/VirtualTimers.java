// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.association;

import java.util.PriorityQueue;
import org.netserv.gist.port.Timers;

/** Time that passes when a test says so. */
final class VirtualTimers implements Timers {
  private final PriorityQueue<Entry> entries = new PriorityQueue<>();
  private long now = 1_000_000;
  private long sequence;

  private final class Entry implements Timer, Comparable<Entry> {
    private final long moment;
    private final long order = sequence++;
    private final Runnable task;

    Entry(long moment, Runnable task) {
      this.moment = moment;
      this.task = task;
    }

    @Override
    public void cancel() {
      entries.remove(this);
    }

    @Override
    public int compareTo(Entry other) {
      return moment == other.moment
          ? Long.compare(order, other.order)
          : Long.compare(moment, other.moment);
    }
  }

  @Override
  public long now() {
    return now;
  }

  @Override
  public Timer schedule(long delayMillis, Runnable task) {
    Entry entry = new Entry(now + delayMillis, task);
    entries.add(entry);
    return entry;
  }

  /** Lets this much time pass in which this host does nothing, as when it was suspended. */
  void stall(long millis) {
    now += millis;
  }

  /** Lets this much time pass, with all that happens in it. */
  void pass(long millis) {
    long end = now + millis;
    while (!entries.isEmpty() && entries.peek().moment <= end) {
      Entry entry = entries.poll();
      now = Math.max(now, entry.moment);
      entry.task.run();
    }
    now = end;
  }

  int pending() {
    return entries.size();
  }
}
