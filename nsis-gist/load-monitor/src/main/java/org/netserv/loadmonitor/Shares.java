// SPDX-License-Identifier: Apache-2.0
package org.netserv.loadmonitor;

/**
 * Divides a rate among edges, max-min fair: an edge that is offered less than the level gets a
 * tenth more than that, and the others share the rest evenly. What nobody asks for is divided
 * evenly, too, so that the sum is the rate.
 */
final class Shares {
  private static final double HEADROOM = 1.1;

  private Shares() {}

  /**
   * Returns the share of each edge.
   *
   * @param offered requests per second at each edge; negative = not known, which asks for all
   */
  static double[] of(double rate, double[] offered) {
    double[] shares = new double[offered.length];
    boolean[] settled = new boolean[offered.length];
    double left = rate;
    int open = offered.length;
    boolean changed = true;
    while (changed && open > 0) {
      changed = false;
      double level = left / open;
      for (int i = 0; i < offered.length; i++) {
        double wanted = HEADROOM * offered[i];
        if (!settled[i] && offered[i] >= 0 && wanted < level) {
          shares[i] = wanted;
          settled[i] = true;
          left -= wanted;
          open--;
          changed = true;
        }
      }
    }
    spread(shares, settled, left, open);
    return shares;
  }

  private static void spread(double[] shares, boolean[] settled, double left, int open) {
    for (int i = 0; i < shares.length; i++) {
      if (open == 0) {
        shares[i] += left / shares.length;
      } else if (!settled[i]) {
        shares[i] = left / open;
      }
    }
  }
}
