// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.sim;

import java.util.TreeSet;
import org.netserv.gist.port.Timers;

/** Time that passes when a test says so. */
public final class SimClock implements Timers {
  private final TreeSet<Task> tasks = new TreeSet<>();
  private long now = 1_000_000;
  private long order;

  private final class Task implements Timer, Comparable<Task> {
    private final long due;
    private final long number = order++;
    private final Runnable work;

    Task(long due, Runnable work) {
      this.due = due;
      this.work = work;
    }

    @Override
    public void cancel() {
      tasks.remove(this);
    }

    @Override
    public int compareTo(Task other) {
      return due == other.due ? Long.compare(number, other.number) : Long.compare(due, other.due);
    }
  }

  @Override
  public long now() {
    return now;
  }

  @Override
  public Timer schedule(long delayMillis, Runnable work) {
    if (delayMillis < 0) {
      throw new IllegalArgumentException("delay " + delayMillis);
    }
    Task task = new Task(now + delayMillis, work);
    tasks.add(task);
    return task;
  }

  /** Lets this much time pass, with all that happens in it. */
  public void pass(long millis) {
    long end = now + millis;
    while (!tasks.isEmpty() && tasks.first().due <= end) {
      Task task = tasks.pollFirst();
      now = task.due;
      task.work.run();
    }
    now = end;
  }

  /** Timers that are set; a test that ends with some has leaked them. */
  public int pending() {
    return tasks.size();
  }
}
