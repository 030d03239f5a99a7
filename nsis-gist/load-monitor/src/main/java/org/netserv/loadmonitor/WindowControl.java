// SPDX-License-Identifier: Apache-2.0
package org.netserv.loadmonitor;

/**
 * Finds the number of requests that may be without an answer at a server by TCP. The edges see each
 * response, so their reports tell what was done and what waits, and the time of an answer follows
 * (Little's law):
 *
 * <pre>
 *   time of an answer = waiting / done per second
 *
 *   time below its goal, and the edges hold requests back    window grows by 3 %
 *   time above its goal                                      window shrinks by 3 %
 * </pre>
 *
 * The window bounds the queue from the first moment, before anything is known of the server. A pure
 * function of samples; one thread.
 */
final class WindowControl {
  static final double FIRST = 32;

  private static final double LEAST = 4;
  private static final double MOST = 10_000;
  private static final double STEP = 1.03;
  private static final double WEIGHT = 0.2;
  private static final double NANOS = 1e9;

  private final double goal;
  private LoadSample last;
  private double window = FIRST;
  private double waiting;
  private double done; // per second, both smoothed
  private double capacity;

  /**
   * Makes a control.
   *
   * @param millis goal for the time of an answer
   */
  WindowControl(int millis) {
    goal = millis / 1000.0;
  }

  /**
   * Takes a sample.
   *
   * @param sample requests done as served, and waiting as queue
   * @param holding whether the edges hold requests back
   */
  void add(LoadSample sample, boolean holding) {
    LoadSample before = last;
    last = sample;
    if (before == null || sample.nanos() <= before.nanos()) {
      return;
    }
    double seconds = (sample.nanos() - before.nanos()) / NANOS;
    double now = Math.max(0, sample.served() - before.served()) / seconds;
    done = done == 0 ? now : done + WEIGHT * (now - done);
    waiting += WEIGHT * (sample.queue() - waiting);
    if (time() > goal) {
      window = Math.max(LEAST, window / STEP);
    } else if (holding) {
      window = Math.min(MOST, window * STEP);
    }
    if (holding) {
      capacity = done;
    }
  }

  /** Returns the seconds that an answer takes. */
  double time() {
    return waiting == 0 ? 0 : done == 0 ? 1 : waiting / done;
  }

  double window() {
    return window;
  }

  /** Returns messages per second that the server did when it was last held, or 0. */
  double capacity() {
    return capacity;
  }

  /** Returns messages per second that the server does. */
  double served() {
    return done;
  }
}
