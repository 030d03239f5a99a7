// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.conformance;

import java.util.Comparator;
import java.util.PriorityQueue;
import org.netserv.gist.port.Timers;

/** Time that passes only when a test says so. */
final class Clock implements Timers {
  private final PriorityQueue<Task> tasks =
      new PriorityQueue<>(Comparator.comparingLong(Task::due).thenComparingLong(Task::number));
  private long now = 1_000_000;
  private long numbers;

  private record Task(long due, long number, Runnable work) {}

  @Override
  public long now() {
    return now;
  }

  @Override
  public Timer schedule(long delayMillis, Runnable work) {
    if (delayMillis < 0) {
      throw new IllegalArgumentException("delay " + delayMillis);
    }
    Task task = new Task(now + delayMillis, numbers++, work);
    tasks.add(task);
    return () -> tasks.remove(task);
  }

  /** Runs whatever is due within this time, in order. */
  void advance(long millis) {
    long end = now + millis;
    while (!tasks.isEmpty() && tasks.peek().due() <= end) {
      Task task = tasks.remove();
      now = task.due();
      task.work().run();
    }
    now = end;
  }

  /** Timers that are set. */
  int pending() {
    return tasks.size();
  }
}
