// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

/**
 * The occupancy algorithm: feedback is the server's measured occupancy in tenths of a percent, and
 * the edge scales the fraction of requests that it admits by {@code GOAL / occupancy} each time.
 * The fraction therefore follows the load without the server knowing its capacity.
 */
final class OccupancyAlgorithm implements Algorithm {
  private static final double GOAL = 900;
  private static final double STEP_LEAST = 0.5;
  private static final double STEP_MOST = 1.1;
  private static final double LEAST = 0.01;

  private double fraction = 1;

  @Override
  public void set(int value, boolean first, long now) {
    double before = first ? 1 : fraction;
    double step = Math.min(STEP_MOST, Math.max(STEP_LEAST, GOAL / Math.max(1, value)));
    fraction = Math.min(1, Math.max(LEAST, before * step));
  }

  @Override
  public double target(Mix mix) {
    return fraction * mix.total();
  }

  @Override
  public boolean admits(Rank rank, boolean light, long now) {
    return true;
  }
}
