// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.time.Duration;
import org.netserv.gist.SendRequest;

/**
 * A request that waits.
 *
 * @param deadline time of the wheel after which the application does not want it any more
 * @param repeats how often it was sent before; then its status was told already
 */
record Pending(SendRequest request, long deadline, int repeats) {
  private static final Duration YEAR = Duration.ofDays(365);

  static Pending of(SendRequest request, long now) {
    long deadline =
        request.timeout() == null ? Long.MAX_VALUE : now + Math.max(0, millis(request.timeout()));
    return new Pending(request, deadline, 0);
  }

  /** Milliseconds, at most those of a year: what is longer is not different, and may not fit. */
  static long millis(Duration duration) {
    return duration.compareTo(YEAR) > 0 ? YEAR.toMillis() : duration.toMillis();
  }

  boolean reliable() {
    return request.attributes().reliable() || request.attributes().secure();
  }

  int hops() {
    return request.hops() < 0 ? Messages.HOPS : request.hops();
  }

  /** The same for sending again: its status was told. */
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
