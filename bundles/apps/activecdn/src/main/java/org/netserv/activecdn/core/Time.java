// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import java.time.Clock;

/** Clocks of the edge, in milliseconds. Tests turn their own. */
public interface Time {
  /** The time of day since 1970, for dates and ages. */
  long wall();

  /** A time that never goes back, for deadlines. */
  long ticks();

  /** Reads the clocks of the machine. */
  static Time system() {
    return new Time() {
      @Override
      public long wall() {
        return Clock.systemUTC().millis();
      }

      @Override
      public long ticks() {
        return System.nanoTime() / 1_000_000;
      }
    };
  }
}
