// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.PriorityQueue;
import org.netserv.controller.loop.Loop;

/**
 * A loop in virtual time, which passes when the test says so. Tasks run in the order in which they
 * become due.
 */
public final class VirtualLoop implements Loop {
  private final Deque<Runnable> ready = new ArrayDeque<>();
  private final PriorityQueue<Task> timers =
      new PriorityQueue<>(
          Comparator.comparingLong((Task t) -> t.due).thenComparingLong(t -> t.order));
  private long monotonic = 1_000;
  private long wall;
  private long order;

  public VirtualLoop(long wall) {
    this.wall = wall;
  }

  @Override
  public long wall() {
    return wall;
  }

  @Override
  public long monotonic() {
    return monotonic;
  }

  @Override
  public void execute(Runnable task) {
    ready.add(task);
  }

  @Override
  public int waiting() {
    return ready.size();
  }

  @Override
  public Timer after(long millis, Runnable task) {
    Task timer = new Task(monotonic + millis, order++, task);
    timers.add(timer);
    return () -> timer.task = null;
  }

  /** Steps the wall clock. No time passes. */
  public void stepWall(long millis) {
    wall += millis;
  }

  /** Runs all tasks that are due now. */
  public void run() {
    advance(0);
  }

  public void advance(long millis) {
    long end = monotonic + millis;
    while (true) {
      while (!ready.isEmpty()) {
        ready.poll().run();
      }
      Task next = timers.peek();
      if (next == null || next.due > end) {
        break;
      }
      timers.poll();
      wall += Math.max(0, next.due - monotonic);
      monotonic = Math.max(monotonic, next.due);
      if (next.task != null) {
        next.task.run();
      }
    }
    wall += end - monotonic;
    monotonic = end;
  }

  private static final class Task {
    private final long due;
    private final long order;
    private Runnable task;

    Task(long due, long order, Runnable task) {
      this.due = due;
      this.order = order;
      this.task = task;
    }
  }
}
