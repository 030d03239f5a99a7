// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import org.netserv.gist.SendRequest;

/**
 * A request that waits.
 *
 * @param deadline time of the wheel after which the application does not want it any more
 */
record Pending(SendRequest request, long deadline) {
  static Pending of(SendRequest request, long now) {
    long deadline =
        request.timeout() == null
            ? Long.MAX_VALUE
            : now + Math.max(0, request.timeout().toMillis());
    return new Pending(request, deadline);
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
        deadline);
  }
}
