// SPDX-License-Identifier: Apache-2.0
package org.netserv.signaling;

import java.util.Comparator;
import java.util.PriorityQueue;
import org.netserv.gist.port.Timers;

/** Time that passes when the test says so. */
final class VirtualTimers implements Timers {
  private final PriorityQueue<Set> queue =
      new PriorityQueue<>(Comparator.comparingLong(Set::at).thenComparingLong(Set::order));
  private long now = 1_000_000;
  private long order;

  private record Set(long at, long order, Runnable task) implements Timer {
    @Override
    public void cancel() {
      // The caller takes the timer out.
    }
  }

  @Override
  public long now() {
    return now;
  }

  @Override
  public Timer schedule(long delayMillis, Runnable task) {
    Set set = new Set(now + delayMillis, order++, task);
    queue.add(set);
    return () -> queue.remove(set);
  }

  /** Lets time pass, and runs each due task at its time. */
  void pass(long millis) {
    long until = now + millis;
    while (!queue.isEmpty() && queue.peek().at() <= until) {
      Set due = queue.poll();
      now = due.at();
      due.task().run();
    }
    now = until;
  }

  /** Timers that are set. */
  int pending() {
    return queue.size();
  }
}
