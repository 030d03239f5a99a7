// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Burns CPU on several threads: {@code PERCENT}. The attempt succeeds if it gets more than this
 * percentage of a core in any of a few windows. Other work on the machine may take the other
 * windows.
 */
public final class Burn extends Attempt {
  private static final int THREADS = 4;

  /** Wait after the start, because a starting container gets a whole core for ten seconds. */
  private static final long STARTED_MILLIS = 12_000;

  private static final long TURN_MILLIS = 100;
  private static final int WINDOWS = 8;
  private static final long WINDOW = 2_000_000_000L;

  @Override
  protected String attempt(String most) throws Exception {
    long best = 0;
    while (ManagementFactory.getRuntimeMXBean().getUptime() < STARTED_MILLIS) {
      Thread.sleep(TURN_MILLIS);
    }
    for (int i = 0; i < WINDOWS; i++) {
      best = Math.max(best, percent());
      if (best > Integer.parseInt(most)) {
        return best + " % of a core";
      }
    }
    throw denied("never more than " + best + " % of a core");
  }

  private static long percent() throws InterruptedException {
    AtomicLong used = new AtomicLong();
    long start = System.nanoTime();
    Thread[] all = new Thread[THREADS];
    for (int i = 0; i < THREADS; i++) {
      all[i] = new Thread(() -> used.addAndGet(burn(start + WINDOW)));
      all[i].start();
    }
    for (Thread thread : all) {
      thread.join();
    }
    return used.get() * 100 / (System.nanoTime() - start);
  }

  /** Spins until the end and returns the nanoseconds of CPU that this thread has had. */
  private static long burn(long end) {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    while (System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    return threads.getCurrentThreadCpuTime();
  }
}
