// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

/**
 * The congestion window by CUBIC (RFC 9438), in bytes. Time is in milliseconds. The constants and
 * equations are those of the RFC, in segments and seconds.
 */
final class Cubic {
  /** Segments of the initial window (RFC 6928). */
  static final int INITIAL = 10;

  private static final double C = 0.4;
  private static final double BETA = 0.7;
  private static final double ALPHA = 3 * (1 - BETA) / (1 + BETA);
  private static final double NONE = Double.MAX_VALUE;

  /** A window and all that it follows from. */
  record State(
      double window,
      double threshold,
      double wMax,
      double prior,
      double epochWindow,
      double estimate,
      double k,
      long epoch,
      boolean afterTimeout) {}

  private final int mss;
  private double window; // in segments
  private double threshold = NONE;
  private double wMax;
  private double prior; // cwnd_prior
  private double epochWindow; // cwnd_epoch
  private double estimate; // W_est
  private double k;
  private long epoch = -1; // t_epoch; -1 = not in congestion avoidance
  private boolean afterTimeout;
  private long updated;

  Cubic(int mss) {
    this.mss = mss;
    window = INITIAL;
  }

  /** Returns the window in bytes, one segment at least. */
  long window() {
    return (long) (window * mss);
  }

  boolean isSlowStart() {
    return window < threshold;
  }

  /**
   * Takes an acknowledgement of bytes outside of recovery.
   *
   * @param rtt smoothed, in milliseconds
   * @param limited the window was what kept the sender from sending more. A window that is not used
   *     does not grow, and the time without use does not count
   */
  void acked(int bytes, long now, long rtt, boolean limited) {
    long idle = now - updated;
    updated = now;
    if (!limited) {
      epoch += epoch < 0 ? 0 : idle;
      return;
    }
    double segments = (double) bytes / mss;
    if (isSlowStart()) {
      double room = threshold - window;
      window += Math.min(segments, room);
      segments -= Math.min(segments, room);
    }
    if (segments > 0) {
      avoid(segments, now, rtt / 1_000.0);
    }
  }

  private void avoid(double segments, long now, double rtt) {
    if (epoch < 0) {
      begin(now);
    }
    double t = Math.max(0, now - epoch) / 1_000.0;
    double target = Math.max(window, Math.min(1.5 * window, cubic(t + rtt)));
    estimate += (estimate < prior ? ALPHA : 1) * segments / window;
    if (cubic(t) < estimate) {
      window = Math.max(window, estimate);
    } else {
      window += (target - window) / window * segments;
    }
  }

  private void begin(long now) {
    epoch = now;
    epochWindow = window;
    estimate = window;
    if (afterTimeout || window >= wMax) {
      k = 0;
      wMax = window;
    } else {
      k = Math.cbrt((wMax - window) / C);
    }
    afterTimeout = false;
  }

  /** Equation 1. */
  private double cubic(double t) {
    double from = t - k;
    return C * from * from * from + wMax;
  }

  /**
   * A segment is lost.
   *
   * @param flight bytes that are sent and not acknowledged
   */
  void lost(long flight) {
    reduce(flight);
    window = threshold;
    afterTimeout = false;
  }

  /** The retransmission timer has fired. */
  void timedOut(long flight) {
    reduce(flight);
    window = 1;
    afterTimeout = true;
  }

  /** Section 4.6, with the fast convergence of section 4.7. */
  private void reduce(long flight) {
    wMax = window < wMax ? window * (1 + BETA) / 2 : window;
    prior = window;
    double used = Math.min(window, (double) flight / mss);
    threshold = Math.max(2, used * BETA);
    epoch = -1;
  }

  /** The sender has been idle for a timeout (RFC 5681 section 4.1). */
  void idle() {
    window = Math.min(window, INITIAL);
    epoch = -1;
  }

  State save() {
    return new State(window, threshold, wMax, prior, epochWindow, estimate, k, epoch, afterTimeout);
  }

  /** Goes back to a window from before a loss that was none of congestion. */
  void restore(State state) {
    window = Math.max(window, state.window);
    threshold = Math.max(threshold, state.threshold);
    wMax = state.wMax;
    prior = state.prior;
    epochWindow = state.epochWindow;
    estimate = state.estimate;
    k = state.k;
    epoch = -1; // the way is another, so its curve begins anew
    afterTimeout = state.afterTimeout;
  }
}
