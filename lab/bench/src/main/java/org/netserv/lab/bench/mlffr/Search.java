// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.mlffr;

import java.io.IOException;

/**
 * Searches for the highest rate at which at most one packet of a thousand is lost. The rate goes up
 * by a step until a trial loses packets. Then the search halves the range between the highest good
 * rate and the lowest bad rate.
 *
 * <p>A rate is good if any of three trials is good. A trial that loses more than 30 % fails its
 * rate at once. A disturbed trial is repeated. The result is the rate that was really sent, because
 * a sender that had to pause sends less than it was asked for.
 */
final class Search {
  /** Factors of a first search, and of a search that begins near the result of an earlier one. */
  static final double STEP = 1.3;

  static final double SMALL_STEP = 1.12;

  private static final double CLOSE = 1.03;
  private static final double LEAST = 500;
  private static final double MOST = 4e6;
  private static final double KEEPS_UP = 0.9;
  private static final int ATTEMPTS = 3;
  private static final int DISTURBED_MOST = 3;

  private final Prober prober;
  private final int millis;
  private final double step;
  private boolean outrun = true;
  private double best;

  Search(Prober prober, int millis, double step) {
    this.prober = prober;
    this.millis = millis;
    this.step = step;
  }

  /** Returns the highest rate in packets a second, or 0 if even the least rate fails. */
  double run(double from) throws IOException {
    double good = 0;
    double bad = 0;
    for (double rate = from; bad == 0 && rate <= MOST; rate *= step) {
      if (passes(rate)) {
        good = rate;
      } else {
        bad = rate;
      }
      if (!outrun) {
        return best; // the sender is the limit
      }
    }
    for (double rate = from / step; good == 0 && rate >= LEAST; rate /= step) {
      if (passes(rate)) {
        good = rate;
      } else {
        bad = rate;
      }
    }
    while (good > 0 && bad / good > CLOSE) {
      double middle = Math.sqrt(good * bad);
      if (passes(middle)) {
        good = middle;
      } else {
        bad = middle;
      }
    }
    return best;
  }

  /** Returns true if the sender was fast enough for the rates that were asked. */
  boolean outrun() {
    return outrun;
  }

  private boolean passes(double rate) throws IOException {
    int late = 0;
    int failed = 0;
    int disturbed = 0;
    while (late + failed < ATTEMPTS) {
      Trial trial = prober.trial(rate, millis);
      if (trial.lossFree()) {
        best = Math.max(best, trial.offered());
        if (trial.offered() >= KEEPS_UP * rate) {
          return true;
        }
        late++;
      } else if (trial.disturbed() && disturbed < DISTURBED_MOST) {
        disturbed++;
      } else if (trial.hopeless()) {
        return false;
      } else {
        failed++;
      }
    }
    outrun &= late < ATTEMPTS; // a single slow trial may be the machine's fault
    return late > 0;
  }
}
