// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import org.netserv.mediarelay.core.Expiry;

/** Tasks of {@link Loop#at}, with the relay's lock held. */
final class Timers {
  private final Expiry<Task> tasks = new Expiry<>();

  /** A task with its time. */
  private final class Task implements Expiry.Due, Loop.Timer {
    private final long due;
    private final Runnable task;
    private int place = Expiry.NOWHERE;

    private Task(long due, Runnable task) {
      this.due = due;
      this.task = task;
    }

    @Override
    public long due() {
      return due;
    }

    @Override
    public int place() {
      return place;
    }

    @Override
    public void place(int at) {
      place = at;
    }

    @Override
    public void cancel() {
      tasks.remove(this);
    }
  }

  /** Adds a task. Its {@code cancel} needs the lock, too. */
  Loop.Timer at(long nanoTime, Runnable what) {
    Task task = new Task(nanoTime, what);
    tasks.update(task);
    return task;
  }

  void run(long now) {
    for (Task due = tasks.poll(now); due != null; due = tasks.poll(now)) {
      due.task.run();
    }
  }

  long nanosLeft(long now) {
    return tasks.nanosLeft(now);
  }
}
