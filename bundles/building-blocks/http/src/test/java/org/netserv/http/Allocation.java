// SPDX-License-Identifier: Apache-2.0
package org.netserv.http;

import java.lang.management.ManagementFactory;

/** Bytes that the current thread allocates. */
public final class Allocation {
  private static final int WINDOWS = 5;

  private Allocation() {}

  /**
   * Runs the work several times over and answers the bytes of the leanest run. The JVM itself
   * allocates a little now and then on a thread's account (compilation, class loading); work that
   * allocates does so in every run.
   */
  public static long least(Runnable work) {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    long id = Thread.currentThread().getId();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < WINDOWS; i++) {
      long before = threads.getThreadAllocatedBytes(id);
      work.run();
      least = Math.min(least, threads.getThreadAllocatedBytes(id) - before);
    }
    return least;
  }
}
