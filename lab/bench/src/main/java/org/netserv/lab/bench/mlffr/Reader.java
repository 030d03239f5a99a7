// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.mlffr;

import java.io.IOException;
import java.util.List;

/**
 * The reader of packets in the router.
 *
 * @param threads processes at work, each with the name of its thread on the packet path. "-" means
 *     all its threads. Other threads are kept off the router's processor.
 * @param counters process that counts the packets that were read; 0 = nobody reads packets
 * @param by observer that has to see a packet for it to count
 * @param module counts the packets that the module itself, or the kernel for it, has seen so far
 * @param compiles true if the reader has to run for a while before it reaches its full speed
 */
record Reader(List<Worker> threads, long counters, By by, Count module, boolean compiles) {
  /** The observer of packets. */
  enum By {
    /** The kernel alone. Every packet that arrives counts. */
    KERNEL,
    /** A module, or a program in its place. */
    MODULE,
    /**
     * Programs in the kernel that forward the flows that a module has left to them. No packet may
     * come to the module any more.
     */
    OFFLOADED,
    /** Programs in the kernel that count for a module. No packet may come to the module. */
    COUNTED
  }

  /** A process of the packet path. */
  record Worker(long pid, String thread) {
    private static final String ALL = "-";

    /** Returns the process as lab-mlffr reads it, with its thread if that is not all of them. */
    String task() {
      return thread.equals(ALL) ? "" + pid : pid + ":" + thread;
    }
  }

  /** Asks for a count. */
  @FunctionalInterface
  interface Count {
    long get() throws IOException;
  }

  /** No reader: the kernel forwards alone. */
  static final Reader NONE = new Reader(List.of(), 0, By.KERNEL, null, false);
}
