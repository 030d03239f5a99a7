// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.mlffr;

import java.io.IOException;
import java.util.List;

/**
 * Who reads packets in the router.
 *
 * @param threads the processes at work, each with the name of its thread on the packet path, "-" =
 *     all of them; the others are kept off the router's processor
 * @param counters process whose counters tell how many packets were read; 0 = nobody reads any
 * @param by who has to see a packet for it to count
 * @param module counts what the module itself, or the kernel for it, has seen so far
 * @param compiles whether it has to run for a while before it is as fast as it gets
 */
record Reader(List<Worker> threads, long counters, By by, Count module, boolean compiles) {
  /** Who sees packets. */
  enum By {
    /** Nobody else: each counts. */
    KERNEL,
    /** A module, or what stands for it. */
    MODULE,
    /**
     * Programs in the kernel to which a module has left its flows: none may come to it any more.
     */
    OFFLOADED,
    /** Programs in the kernel that count for a module; none may come to it. */
    COUNTED
  }

  /** A process of the packet path. */
  record Worker(long pid, String thread) {}

  /** A count that is asked for. */
  @FunctionalInterface
  interface Count {
    long get() throws IOException;
  }

  /** The kernel alone. */
  static final Reader NONE = new Reader(List.of(), 0, By.KERNEL, null, false);
}
