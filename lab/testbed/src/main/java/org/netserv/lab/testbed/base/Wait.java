// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.base;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Waits for something that happens in another process. */
public final class Wait {
  private static final long STEP_MS = 50;

  private Wait() {}

  /** A condition that may need a look outside. */
  @FunctionalInterface
  public interface Condition {
    boolean holds() throws IOException;
  }

  /**
   * Returns when the condition holds.
   *
   * @return milliseconds it took
   * @throws LabException naming what was waited for, when the time is up
   */
  public static long until(String what, Duration most, Condition condition) throws IOException {
    long begin = System.nanoTime();
    while (!condition.holds()) {
      if (System.nanoTime() - begin > most.toNanos()) {
        throw new LabException("waited " + most.toSeconds() + " s in vain for " + what);
      }
      pause(STEP_MS);
    }
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
  }

  /** Sleeps; an interrupt ends the scenario. */
  public static void pause(long millis) throws IOException {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LabException("interrupted");
    }
  }
}
