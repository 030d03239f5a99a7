// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

import java.util.function.IntSupplier;

/**
 * A window of admitted requests without a response. Feedback sets its size. Without feedback the
 * edge finds the size itself from response times: it grows by one per window of responses below the
 * wanted time, and shrinks by a fifth, once per wanted time, when a response takes longer.
 *
 * <p>A source that asks for less than its share has a little room above the window, because a flood
 * takes each place at once that becomes free. The shares are those of the requests that were
 * admitted lately. The number in flight does not tell that the flood is over: when responses come
 * all at once, the window is empty for a moment.
 *
 * <p>It needs the server's responses, so the module's filters must cover the way back.
 */
final class WindowAlgorithm implements Algorithm {
  private static final double SHRINK = 0.8;
  private static final double MOST = 10_000;
  private static final double HEADROOM = 1.2;

  /** Multiples of the admitted rate that the shares let pass, so that the window stays full. */
  private static final double AMPLE = 1.5;

  /** The same after a step in which the window had room for every request. */
  private static final double GROWING = 2;

  private static final double STEPS_PER_SECOND = 1e6 / Throttle.STEP;
  private static final long MICROS = 1000;

  private final IntSupplier inFlight;
  private final long wanted; // microseconds, 0 = feedback sets the window
  private double window;
  private long shrunk;
  private boolean full; // a request has found no place since the step began

  /**
   * Makes a window.
   *
   * @param inFlight admitted requests without a response
   * @param window its first size
   * @param wanted response time in milliseconds; 0 = feedback sets the size
   */
  WindowAlgorithm(IntSupplier inFlight, int window, int wanted) {
    this.inFlight = inFlight;
    this.window = window;
    this.wanted = wanted * MICROS;
  }

  @Override
  public void set(int value, boolean first, long now) {
    if (wanted == 0) {
      window = value;
    }
  }

  @Override
  public double target(Mix mix) {
    double admitted = (full ? AMPLE : GROWING) * mix.admitted();
    double places = STEPS_PER_SECOND * (window - inFlight.getAsInt());
    full = false;
    return Math.max(Math.max(admitted, places), window);
  }

  /** Returns the admitted rate. A server that has stopped for a while counts as a slow one. */
  @Override
  public double through(Mix mix) {
    return Math.max(mix.admitted(), window);
  }

  @Override
  public boolean admits(Rank rank, boolean light, long now) {
    boolean admitted = inFlight.getAsInt() < places(rank, light);
    full |= !admitted;
    return admitted;
  }

  private double places(Rank rank, boolean light) {
    double some = HEADROOM * window + 1;
    return switch (rank) {
      case EXEMPT -> Double.MAX_VALUE;
      case DIALOG -> 2 * window;
      case HIGH -> some;
      case NORMAL -> light ? some : window;
    };
  }

  @Override
  public void responded(long micros, long now) {
    if (wanted == 0) {
      return;
    }
    if (micros <= wanted) {
      window = Math.min(MOST, window + 1 / window);
    } else if (now - shrunk > wanted) {
      window = Math.max(1, window * SHRINK);
      shrunk = now;
    }
  }

  double window() {
    return window;
  }
}
