// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.loop;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The loop in production: one thread, real clocks. A task that throws is logged, and the loop goes
 * on.
 */
public final class ControllerLoop implements Loop, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ControllerLoop.class);

  private final ScheduledThreadPoolExecutor executor =
      new ScheduledThreadPoolExecutor(
          1, task -> new Thread(task, "controller-loop"), new ThreadPoolExecutor.DiscardPolicy());

  private final AtomicInteger waiting = new AtomicInteger();

  public ControllerLoop() {
    executor.setRemoveOnCancelPolicy(true);
    executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  @Override
  public long wall() {
    return System.currentTimeMillis();
  }

  @Override
  public long monotonic() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  @Override
  public void execute(Runnable task) {
    if (!executor.isShutdown()) {
      waiting.incrementAndGet();
      Runnable guarded = guarded(task);
      executor.execute(
          () -> {
            waiting.decrementAndGet();
            guarded.run();
          });
    }
  }

  @Override
  public int waiting() {
    return waiting.get();
  }

  @Override
  public Timer after(long millis, Runnable task) {
    Cancellable timer = new Cancellable(guarded(task));
    timer.future = executor.schedule(timer, millis, TimeUnit.MILLISECONDS);
    return timer;
  }

  /** Ends the thread. Drops the tasks that have not begun, and all tasks that come later. */
  @Override
  public void close() {
    executor.shutdownNow();
  }

  private static Runnable guarded(Runnable task) {
    return () -> {
      try {
        task.run();
      } catch (RuntimeException e) {
        LOG.error("loop task failed", e);
      }
    };
  }

  /**
   * Is cancelled and run on the same thread, so that a cancelled task never runs, even if it was
   * due already.
   */
  private static final class Cancellable implements Runnable, Timer {
    private Runnable task;
    private volatile Future<?> future;

    Cancellable(Runnable task) {
      this.task = task;
    }

    @Override
    public void run() {
      if (task != null) {
        Runnable due = task;
        task = null;
        due.run();
      }
    }

    @Override
    public void cancel() {
      task = null;
      Future<?> waiting = future;
      if (waiting != null) {
        waiting.cancel(false);
      }
    }
  }
}
