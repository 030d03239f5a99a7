// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.mlffr;

import java.util.Map;

/**
 * Result of sending some packets at one rate.
 *
 * @param sent packets
 * @param received packets counted at the other end
 * @param nanos duration of sending
 * @param idle part of {@code nanos} in which the router's processor had nothing to do
 * @param processor nanoseconds of the router's tasks
 * @param path part of {@code processor} of the threads on the packet path
 * @param instructions of the router's tasks, 0 = not counted
 * @param cycles of the router's tasks
 * @param by observer that has to see a packet for it to count
 * @param seen packets that the reader got
 * @param passed packets for which the module's verdict was to pass
 * @param dropped packets that the queue or its socket dropped
 * @param p50 time on the way that half of the packets did not exceed, microseconds; 0 = not
 *     measured
 * @param p99 time on the way that 99 percent of the packets did not exceed
 */
record Trial(
    long sent,
    long received,
    long nanos,
    long idle,
    long processor,
    long path,
    long instructions,
    long cycles,
    Reader.By by,
    long seen,
    long passed,
    long dropped,
    long p50,
    long p99) {
  /** At most one packet of this number may be lost. */
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
        value(said, "path"),
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
   * Returns the packets that arrived by the measured way. A packet that went past the module does
   * not count.
   */
  long good() {
    return switch (by) {
      case KERNEL -> received;
      case MODULE -> Math.min(received, passed);
      case OFFLOADED, COUNTED -> Math.max(0, received - seen);
    };
  }

  /** Returns true if some packets took another way. The trial then proves nothing. */
  boolean isVoid() {
    return good() < received;
  }

  /** Returns the share of sent packets that were lost or went past the module. */
  double loss() {
    return 1 - (double) good() / sent;
  }

  boolean lossFree() {
    return (sent - good()) * MOST_LOST <= sent;
  }

  /** Returns true if so many packets are lost that another trial would not help. */
  boolean hopeless() {
    return loss() > HOPELESS;
  }

  /**
   * Returns true if packets were lost although the router's processor was idle. A hypervisor, or a
   * part of the kernel that cannot be interrupted, took the processor away. It was away longer than
   * the 256 places of a veth's ring last.
   */
  boolean disturbed() {
    return !lossFree() && idle > IDLE * nanos;
  }

  /** Returns the packets a second that were really sent. */
  double offered() {
    return sent / (nanos / NANOS);
  }

  /** Returns the packets a second that arrived. */
  double forwarded() {
    return good() / (nanos / NANOS);
  }

  double processorEach() {
    return (double) processor / Math.max(1, good());
  }

  double pathEach() {
    return (double) path / Math.max(1, good());
  }

  double instructionsEach() {
    return (double) instructions / Math.max(1, good());
  }

  double cyclesEach() {
    return (double) cycles / Math.max(1, good());
  }
}
