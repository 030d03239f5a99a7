// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

import java.util.function.IntSupplier;

/**
 * A window of admitted requests without a response. Feedback sets its size. Without feedback the
 * edge finds the size itself from response times: it grows by one per window of responses below the
 * wanted time, and shrinks by a fifth, once per wanted time, when a response takes longer.
 *
 * <p>A source that asks for less than its share has a little room above the window, because a flood
 * takes each place at once that becomes free.
 *
 * <p>It needs the server's responses, so the module's filters must cover the way back.
 */
final class WindowAlgorithm implements Algorithm {
  private static final double SHRINK = 0.8;
  private static final double MOST = 10_000;
  private static final double HEADROOM = 1.2;
  private static final long MICROS = 1000;

  private final IntSupplier inFlight;
  private final long wanted; // microseconds, 0 = feedback sets the window
  private double window;
  private long shrunk;

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
    return inFlight.getAsInt() < window ? Double.MAX_VALUE : HEADROOM * mix.admitted();
  }

  @Override
  public boolean admits(Rank rank, boolean light, long now) {
    int flying = inFlight.getAsInt();
    return switch (rank) {
      case EXEMPT -> true;
      case DIALOG -> flying < 2 * window;
      case HIGH -> flying < HEADROOM * window + 1;
      case NORMAL -> flying < (light ? HEADROOM * window + 1 : window);
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
