// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.base;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Waits for an event in another process. */
public final class Wait {
  private static final long STEP_MS = 50;

  private Wait() {}

  /** A condition that may read files or sockets. */
  @FunctionalInterface
  public interface Condition {
    boolean holds() throws IOException;
  }

  /**
   * Returns when the condition holds.
   *
   * @return milliseconds it took
   * @throws LabException if the time is up; the message names the awaited event
   */
  public static long until(String what, Duration most, Condition condition) throws IOException {
    long begin = System.nanoTime();
    if (!reaches(most, condition)) {
      throw new LabException("waited " + most.toSeconds() + " s in vain for " + what);
    }
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
  }

  /** Waits, and returns whether the condition held before the time was up. */
  public static boolean reaches(Duration most, Condition condition) throws IOException {
    long begin = System.nanoTime();
    while (!condition.holds()) {
      if (System.nanoTime() - begin > most.toNanos()) {
        return false;
      }
      pause(STEP_MS);
    }
    return true;
  }

  /** Sleeps. An interrupt ends the scenario. */
  public static void pause(long millis) throws IOException {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LabException("interrupted");
    }
  }
}
