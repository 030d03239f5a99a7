// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs strangers' code on a thread of its own and waits a limited time for it. */
record Patience(long millis) {
  /** Code that may throw. */
  @FunctionalInterface
  interface Work {
    void run() throws Exception;
  }

  /**
   * The end of the work.
   *
   * @param failure the exception thrown, or null
   */
  record Outcome(boolean timedOut, Throwable failure) {}

  /**
   * Runs the work, and interrupts it when the time is over.
   *
   * @param loader inherited, as context class loader, by the threads that the work starts. The
   *     agent finds these threads by it when the module is gone.
   */
  Outcome run(String name, ClassLoader loader, Work work) {
    FutureTask<Void> task =
        new FutureTask<>(
            () -> {
              work.run();
              return null;
            });
    Thread thread = new Thread(task, "agent " + name);
    thread.setDaemon(true);
    if (loader != null) {
      thread.setContextClassLoader(loader);
    }
    thread.start();
    try {
      task.get(millis, TimeUnit.MILLISECONDS);
      return new Outcome(false, null);
    } catch (TimeoutException e) {
      task.cancel(true);
      return new Outcome(true, null);
    } catch (ExecutionException e) {
      return new Outcome(false, e.getCause());
    } catch (InterruptedException e) {
      task.cancel(true);
      Thread.currentThread().interrupt();
      return new Outcome(false, e);
    }
  }
}
