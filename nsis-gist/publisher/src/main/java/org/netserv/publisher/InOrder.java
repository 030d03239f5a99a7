// SPDX-License-Identifier: Apache-2.0
package org.netserv.publisher;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;

/** Runs tasks one after the other on an executor that may have many threads. */
final class InOrder implements Executor {
  private final Executor executor;
  private final Queue<Runnable> waiting = new ArrayDeque<>();
  private boolean running;

  InOrder(Executor executor) {
    this.executor = executor;
  }

  @Override
  public synchronized void execute(Runnable task) {
    waiting.add(task);
    if (!running) {
      running = true;
      executor.execute(this::drain);
    }
  }

  private void drain() {
    for (Runnable task = next(); task != null; task = next()) {
      try {
        task.run();
      } catch (RuntimeException e) {
        Thread thread = Thread.currentThread();
        thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
      }
    }
  }

  private synchronized Runnable next() {
    Runnable task = waiting.poll();
    running = task != null;
    return task;
  }
}
