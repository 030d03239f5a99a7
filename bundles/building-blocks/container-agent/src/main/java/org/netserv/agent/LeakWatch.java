// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent;

import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * Watches the threads and classes of modules that are gone. Java can end neither by force, so the
 * controller is told of leaks and may restart the container.
 *
 * <p>A full collection is asked for once per module, when its grace period is over. The collection
 * stops the packet thread for some milliseconds, within the packets' deadline.
 */
final class LeakWatch {
  private final ScheduledExecutorService timer;
  private final long graceMillis;
  private final BiConsumer<String, String> report;
  private final ReferenceQueue<ClassLoader> dead = new ReferenceQueue<>();

  /**
   * @param graceMillis time that a module gets for its orderly end
   * @param report is told module and reason
   */
  LeakWatch(ScheduledExecutorService timer, long graceMillis, BiConsumer<String, String> report) {
    this.timer = timer;
    this.graceMillis = graceMillis;
    this.report = report;
  }

  /** Begins to watch a module that has just been uninstalled. */
  void watch(String module, ClassLoader loader) {
    WeakReference<ClassLoader> weak = new WeakReference<>(loader);
    PhantomReference<ClassLoader> phantom = new PhantomReference<>(loader, dead);
    later(() -> threads(module, weak, phantom));
  }

  void report(String module, String reason) {
    report.accept(module, reason);
  }

  private void threads(
      String module, WeakReference<ClassLoader> loader, PhantomReference<ClassLoader> phantom) {
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (belongs(thread, loader.get())) {
        report(module, "thread '" + thread.getName() + "' is still alive");
        return;
      }
    }
    System.gc();
    later(() -> classes(module, phantom));
  }

  private static boolean belongs(Thread thread, ClassLoader loader) {
    return loader != null
        && thread.isAlive()
        && (thread.getContextClassLoader() == loader
            || thread.getClass().getClassLoader() == loader);
  }

  /**
   * Reports the module if its class loader is still referenced. Any object of the module that is
   * still held keeps the loader.
   */
  private void classes(String module, PhantomReference<ClassLoader> phantom) {
    boolean gone = phantom.refersTo(null);
    while (dead.poll() != null) {
      // only to empty the queue: the reference was asked itself
    }
    if (!gone) {
      report(module, "its classes are still referenced");
    }
  }

  private void later(Runnable work) {
    ScheduledFuture<?> unused = timer.schedule(work, graceMillis, TimeUnit.MILLISECONDS);
  }
}
