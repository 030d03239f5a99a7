// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

/**
 * The loss-based scheme (RFC 7339, 7): {@code oc} percent of all requests are rejected, of the
 * better ranks only if the others do not suffice. The fair shares do the rejecting, so nothing is
 * left to decide here.
 */
final class LossAlgorithm implements Algorithm {
  private static final int ALL = 100;

  private double fraction = 1;

  @Override
  public void set(int value, boolean first, long now) {
    fraction = 1 - Math.min(value, ALL) / (double) ALL;
  }

  @Override
  public double target(Mix mix) {
    return fraction * mix.total();
  }

  @Override
  public boolean admits(Rank rank, boolean light, long now) {
    return rank == Rank.EXEMPT || fraction > 0;
  }
}
