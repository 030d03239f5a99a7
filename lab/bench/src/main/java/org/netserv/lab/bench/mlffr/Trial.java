// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.mlffr;

import java.util.Map;

/**
 * What came of some packets sent at one rate.
 *
 * @param sent packets
 * @param received counted at the other end
 * @param nanos that sending took
 * @param idle of them the router's processor had nothing to do
 * @param processor nanoseconds of the router's tasks
 * @param instructions of the same, 0 = not counted
 * @param cycles of the same
 * @param by who has to see a packet for it to count
 * @param seen packets that the reader got
 * @param passed packets that the module said pass of
 * @param dropped by the queue or its socket
 * @param p50 time on the way that half of them did not exceed, microseconds; 0 = not looked at
 * @param p99 the same of 99 percent
 */
record Trial(
    long sent,
    long received,
    long nanos,
    long idle,
    long processor,
    long instructions,
    long cycles,
    Reader.By by,
    long seen,
    long passed,
    long dropped,
    long p50,
    long p99) {
  /** One packet of so many may be lost. */
  private static final long MOST_LOST = 1000;

  private static final double HOPELESS = 0.3;
  private static final double IDLE = 0.25;
  private static final double NANOS = 1e9;

  static Trial of(Map<String, Double> said, Reader.By by) {
    return new Trial(
        value(said, "sent"),
        value(said, "received"),
        value(said, "nanos"),
        value(said, "idle"),
        value(said, "cpu"),
        value(said, "instructions"),
        value(said, "cycles"),
        by,
        value(said, "seen"),
        value(said, "passed"),
        value(said, "queue_dropped") + value(said, "user_dropped"),
        value(said, "p50"),
        value(said, "p99"));
  }

  private static long value(Map<String, Double> said, String name) {
    return said.getOrDefault(name, 0.0).longValue();
  }

  /**
   * Packets that arrived by the way that is measured: one that went past the module does not count.
   */
  long good() {
    return switch (by) {
      case KERNEL -> received;
      case MODULE -> Math.min(received, passed);
      case OFFLOADED, COUNTED -> Math.max(0, received - seen);
    };
  }

  /** Some packets took another way, and the trial proves nothing. */
  boolean isVoid() {
    return good() < received;
  }

  /** Lost packets, or such as went past the module, as a share of those sent. */
  double loss() {
    return 1 - (double) good() / sent;
  }

  boolean lossFree() {
    return (sent - good()) * MOST_LOST <= sent;
  }

  /** So many are lost that trying again would not help. */
  boolean hopeless() {
    return loss() > HOPELESS;
  }

  /**
   * Packets are lost, and not for want of processor: it was taken away for longer than the 256
   * places of a veth's ring last, by a hypervisor or a part of the kernel that cannot be
   * interrupted.
   */
  boolean disturbed() {
    return !lossFree() && idle > IDLE * nanos;
  }

  /** Packets a second that were sent indeed. */
  double offered() {
    return sent / (nanos / NANOS);
  }

  /** Packets a second that arrived. */
  double forwarded() {
    return good() / (nanos / NANOS);
  }

  double processorEach() {
    return (double) processor / Math.max(1, good());
  }

  double instructionsEach() {
    return (double) instructions / Math.max(1, good());
  }

  double cyclesEach() {
    return (double) cycles / Math.max(1, good());
  }
}
