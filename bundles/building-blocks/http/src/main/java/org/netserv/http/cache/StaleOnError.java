// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

/** Answers after a validation that failed (RFC 9111, 4.2.4, 4.3.3 and 5.2.2.2, RFC 5861, 4). */
public enum StaleOnError {
  /** The stored response is sent though it is stale. */
  SEND_STORED,
  /** The origin's error response is sent. */
  SEND_ERROR,
  /** The cache answers 504, because the origin cannot be reached. */
  GATEWAY_TIMEOUT;

  /** The status to pass when there is no response at all. */
  public static final int UNREACHABLE = 0;

  /**
   * Decides.
   *
   * @param status the error's status code, or UNREACHABLE
   */
  public static StaleOnError decide(
      StoredResponse stored, CacheControl request, int status, CacheSettings settings, long now) {
    StaleOnError failure = status == UNREACHABLE ? GATEWAY_TIMEOUT : SEND_ERROR;
    boolean forbidden =
        stored.needsValidation()
            || stored.mustRevalidate()
            || (settings.clientDirectives() && request.has(Directive.NO_CACHE));
    boolean error = status == UNREACHABLE || StatusCodes.isError(status);
    if (forbidden || !error) {
      return failure;
    }
    long seconds = Math.max(stored.ifError(), request.seconds(Directive.STALE_IF_ERROR));
    if (status == UNREACHABLE && settings.disconnectedSeconds() > 0) {
      seconds = Math.max(seconds, settings.disconnectedSeconds());
    }
    return seconds >= 0 && -stored.remaining(now) <= seconds * 1000 ? SEND_STORED : failure;
  }
}
