// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.module;

import java.time.Duration;

/** Burns CPU for two seconds on several threads; more than this percentage of a core counts: {@code PERCENT}. */
public final class Burn extends Attempt {
  private static final int THREADS = 8;
  private static final long NANOS = 2_000_000_000L;

  @Override
  protected String attempt(String most) throws Exception {
    Duration before = used();
    long start = System.nanoTime();
    Thread[] all = new Thread[THREADS];
    for (int i = 0; i < THREADS; i++) {
      all[i] = new Thread(() -> burn(start + NANOS));
      all[i].start();
    }
    for (Thread thread : all) {
      thread.join();
    }
    long percent = used().minus(before).toNanos() * 100 / (System.nanoTime() - start);
    if (percent <= Integer.parseInt(most)) {
      throw denied(percent + " % of a core");
    }
    return percent + " % of a core";
  }

  private static Duration used() {
    return ProcessHandle.current().info().totalCpuDuration().orElseThrow();
  }

  private static void burn(long end) {
    while (System.nanoTime() < end) {
      Thread.onSpinWait();
    }
  }
}
