// SPDX-License-Identifier: Apache-2.0
package org.netserv.coverage.process;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The one thread that has all state of a process. An error in one task does not end others. */
public final class Loop implements Executor, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Loop.class);
  private static final long PATIENCE_SECONDS = 10;

  private final String name;
  private final ScheduledThreadPoolExecutor thread;
  private final List<Future<?>> turning = new CopyOnWriteArrayList<>();

  /** Starts no thread before the first task. */
  public Loop(String name) {
    this.name = name;
    this.thread =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread made = new Thread(task, name);
              made.setDaemon(true);
              return made;
            });
    thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    thread.setContinueExistingPeriodicTasksAfterShutdownPolicy(false);
  }

  /** Runs a task behind those that wait. */
  @Override
  public void execute(Runnable task) {
    thread.execute(() -> guard(task));
  }

  /** Runs a task again and again, with a pause in between. */
  public void every(long millis, Runnable task) {
    turning.add(
        thread.scheduleWithFixedDelay(() -> guard(task), millis, millis, TimeUnit.MILLISECONDS));
  }

  private static void guard(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      LOG.error("unexpected", e);
    }
  }

  /** Returns what a task on this thread returns. Called on any other thread. */
  public <T> T ask(Supplier<T> question) throws IOException {
    CompletableFuture<T> answer = new CompletableFuture<>();
    thread.execute(
        () -> {
          try {
            answer.complete(question.get());
          } catch (RuntimeException e) {
            answer.completeExceptionally(e);
          }
        });
    try {
      return answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException("no answer of the thread " + name + ": " + e, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  /** Runs the tasks that wait, and ends the thread. */
  @Override
  public void close() {
    turning.forEach(task -> task.cancel(false));
    thread.shutdown();
    try {
      if (!thread.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn("the thread {} does not end", name);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
