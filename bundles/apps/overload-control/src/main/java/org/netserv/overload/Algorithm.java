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
   * Returns the requests per second that may pass in all, exempt ones included. The fair shares
   * divide the part of it that is left for normal requests.
   */
  double target(Mix mix);

  /**
   * Decides about one request, and takes note if it is admitted.
   *
   * @param light whether the request's source asks for less than its fair share
   */
  boolean admits(Rank rank, boolean light, long now);

  /** Takes note of the first response to an admitted request, so many microseconds after it. */
  default void responded(long micros, long now) {}
}
