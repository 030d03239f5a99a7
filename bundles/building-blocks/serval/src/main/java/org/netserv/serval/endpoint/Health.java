// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import java.util.function.BooleanSupplier;

/**
 * The health of a service, by a check of the program. The check runs once in a period. Several
 * failures in a row make the service sick, and several successes make it well again, so that one
 * slow answer changes nothing.
 */
public final class Health {
  /** Failures in a row that make a service sick. */
  public static final int FALL = 3;

  /** Successes in a row that make it well again. */
  public static final int RISE = 2;

  private final BooleanSupplier check;
  private final long period;
  private long dueAt;
  private boolean well = true;
  private int against; // results in a row that contradict the present state

  /**
   * Makes the health of a service that is well.
   *
   * @param period milliseconds, at least 1
   */
  public Health(BooleanSupplier check, long period, long now) {
    if (period < 1) {
      throw new IllegalArgumentException("period of a health check: " + period);
    }
    this.check = check;
    this.period = period;
    dueAt = now + period;
  }

  /**
   * Runs the check if it is time. A check that throws counts as failed.
   *
   * @return true if the service is in another state now
   */
  public boolean changes(long now) {
    if (now < dueAt) {
      return false;
    }
    dueAt = now + period;
    against = succeeds() == well ? 0 : against + 1;
    if (against < (well ? FALL : RISE)) {
      return false;
    }
    well = !well;
    against = 0;
    return true;
  }

  private boolean succeeds() {
    try {
      return check.getAsBoolean();
    } catch (RuntimeException e) {
      return false;
    }
  }

  public boolean isWell() {
    return well;
  }

  /** Returns the time of the next check. */
  public long dueAt() {
    return dueAt;
  }
}
