// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

/**
 * A class of overload control algorithms (RFC 6357, 5). {@link Throttle} asks it about each new
 * request after the fair shares have thinned the requests of each source. Time is in microseconds
 * of a monotonic clock. Called by one thread.
 */
interface Algorithm {
  /** Takes the value of new feedback. {@code first} tells that no control was in effect before. */
  void set(int value, boolean first, long now);

  /**
   * Returns the requests per second that the fair shares may let pass in all, exempt ones included,
   * for the step that begins. They divide the part of it that is left for normal requests. Called
   * once a step.
   */
  double target(Mix mix);

  /**
   * Returns the requests per second that get through in all. A source that asks for at most its
   * share of them is light. Less than the target if the algorithm itself rejects some.
   */
  default double through(Mix mix) {
    return target(mix);
  }

  /**
   * Decides about one request, and takes note if it is admitted.
   *
   * @param light whether the request's source asks for less than its fair share
   */
  boolean admits(Rank rank, boolean light, long now);

  /** Takes note of the first response to an admitted request, so many microseconds after it. */
  default void responded(long micros, long now) {}
}
