// SPDX-License-Identifier: Apache-2.0
package org.netserv.watermark;

import java.net.SocketTimeoutException;
import java.util.function.LongSupplier;

/** The end of the time for several steps together. */
final class Deadline {
  private static final long MILLI = 1_000_000;

  private final LongSupplier clock;
  private final long end;

  /**
   * Begins.
   *
   * @param clock in nanoseconds, such as {@link System#nanoTime}
   */
  Deadline(LongSupplier clock, int millis) {
    this.clock = clock;
    this.end = clock.getAsLong() + millis * MILLI;
  }

  /** Returns the milliseconds that are left, at least 1. */
  int millis() throws SocketTimeoutException {
    long left = end - clock.getAsLong();
    if (left <= 0) {
      throw new SocketTimeoutException("its time is over");
    }
    return (int) Math.max(1, left / MILLI);
  }
}
