// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.time.Duration;
import org.netserv.gist.SendRequest;

/**
 * A request that waits.
 *
 * @param deadline time of the wheel after which the application does not want the request any more
 * @param repeats how often the request was sent before; its status was told already if more than 0
 */
record Pending(SendRequest request, long deadline, int repeats) {
  private static final Duration YEAR = Duration.ofDays(365);

  static Pending of(SendRequest request, long now) {
    long deadline =
        request.timeout() == null ? Long.MAX_VALUE : now + Math.max(0, millis(request.timeout()));
    return new Pending(request, deadline, 0);
  }

  /**
   * Returns the milliseconds of a duration, at most one year. A longer duration makes no difference
   * and may not fit.
   */
  static long millis(Duration duration) {
    return duration.compareTo(YEAR) > 0 ? YEAR.toMillis() : duration.toMillis();
  }

  boolean reliable() {
    return request.attributes().reliable() || request.attributes().secure();
  }

  int hops() {
    return request.hops() < 0 ? Messages.HOPS : request.hops();
  }

  /** Returns the request for another sending, without a handle, because its status was told. */
  Pending again() {
    SendRequest r = request;
    return new Pending(
        new SendRequest(
            r.payload(),
            null,
            r.nslpId(),
            r.session(),
            r.mri(),
            r.peer(),
            r.attributes(),
            r.timeout(),
            r.hops()),
        deadline,
        repeats + 1);
  }
}
