// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

/**
 * Counts the packets of the present millisecond and of the one before, and recognizes a rush.
 *
 * <p>A thread that waits for the next packet is woken by each one, and may take the processor from
 * the program that sends them. In a rush that is a switch of threads for every few packets, and an
 * acknowledgement with each.
 */
final class Rush {
  /** Packets in two milliseconds from which on they are a rush. */
  static final int LEAST = 32;

  private long time = Long.MIN_VALUE;
  private int now;
  private int before;

  /** Counts packets that have come. The time never goes back. */
  void came(int packets, long milliseconds) {
    if (milliseconds != time) {
      before = milliseconds - 1 == time ? now : 0;
      now = 0;
      time = milliseconds;
    }
    now += packets;
  }

  /** Tells whether the packets up to the last call of {@link #came} are a rush. */
  boolean isOn() {
    return now + before >= LEAST;
  }
}
