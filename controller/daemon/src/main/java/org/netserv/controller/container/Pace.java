// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

/**
 * The pace at which the frames of one container are read. A frame costs one unit and one more for
 * each 4 KiB. A bucket of units fills evenly. A reader waits as long as it owes units, and
 * meanwhile the container's own writes wait. Not safe for several threads.
 */
final class Pace {
  static final int PER_SECOND = 40;
  static final int BURST = 200;

  private static final int BYTES = 4 << 10;
  private static final double SECOND = 1000;

  private double level = BURST;
  private long at;

  /**
   * Starts with a full bucket.
   *
   * @param now monotonic milliseconds
   */
  Pace(long now) {
    at = now;
  }

  /**
   * Takes the cost of a frame, on credit if need be.
   *
   * @return milliseconds to wait before the next frame is read
   */
  long take(int bytes, long now) {
    level = Math.min(BURST, level + Math.max(0, now - at) * PER_SECOND / SECOND);
    at = now;
    level -= 1 + (double) bytes / BYTES;
    return level >= 0 ? 0 : (long) Math.ceil(-level * SECOND / PER_SECOND);
  }
}
