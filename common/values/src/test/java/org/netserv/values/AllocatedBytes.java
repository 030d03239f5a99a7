// SPDX-License-Identifier: Apache-2.0
package org.netserv.values;

import java.lang.management.ManagementFactory;

/** Bytes that the current thread allocates while it does a work that should allocate nothing. */
public final class AllocatedBytes {
  private static final int RUNS = 5;

  private AllocatedBytes() {}

  /**
   * Runs the work until a run allocates nothing, at most five times. Returns the bytes of the
   * leanest run. The JVM itself allocates a little now and then on a thread's account (compilation,
   * class loading); work that allocates does so in every run.
   */
  public static long least(Runnable work) {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    long id = Thread.currentThread().getId();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < RUNS && least > 0; i++) {
      long before = threads.getThreadAllocatedBytes(id);
      work.run();
      least = Math.min(least, threads.getThreadAllocatedBytes(id) - before);
    }
    return least;
  }
}
