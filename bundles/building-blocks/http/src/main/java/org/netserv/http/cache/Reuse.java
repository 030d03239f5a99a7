// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

/**
 * Ways to use the stored response that was chosen for a request (RFC 9111, 4, 4.2.4 and 5.2.1, RFC
 * 5861, 3).
 */
public enum Reuse {
  /** The response is fresh and is sent. */
  FRESH(true),
  /** The response is stale and is sent, because max-stale of the request accepts it. */
  STALE_ACCEPTED(true),
  /** The response is stale and is sent, and a validation starts beside it (RFC 5861, 3). */
  STALE_REVALIDATE(true),
  /** The response is validated first, because it is stale, or no-cache, or invalidated. */
  VALIDATE(false),
  /** The response is fresh and is validated first, because the request asks for it. */
  VALIDATE_FOR_REQUEST(false),
  /** The request has only-if-cached, and nothing may be sent: 504 (5.2.1.7). */
  GATEWAY_TIMEOUT(false);

  private final boolean sent;

  Reuse(boolean sent) {
    this.sent = sent;
  }

  /** Tells whether the stored response is sent without a word from the origin. */
  public boolean isSent() {
    return sent;
  }

  /**
   * Decides.
   *
   * @param request the directives of the request
   */
  public static Reuse decide(
      StoredResponse stored, CacheControl request, CacheSettings settings, long now) {
    Reuse reuse = byResponse(stored, request, settings, now);
    return !reuse.sent && request.has(Directive.ONLY_IF_CACHED) ? GATEWAY_TIMEOUT : reuse;
  }

  /** Decides for a request for which nothing is stored: false for 504 by only-if-cached. */
  public static boolean mayForward(CacheControl request) {
    return !request.has(Directive.ONLY_IF_CACHED);
  }

  private static Reuse byResponse(
      StoredResponse stored, CacheControl request, CacheSettings settings, long now) {
    if (stored.needsValidation()) {
      return VALIDATE;
    }
    boolean asked = settings.clientDirectives();
    if (stored.isFresh(now)) {
      return asked && refusesFresh(stored, request, now) ? VALIDATE_FOR_REQUEST : FRESH;
    }
    if (stored.mustRevalidate() || (asked && request.has(Directive.NO_CACHE))) {
      return VALIDATE;
    }
    if (asked && acceptsStale(stored, request, now)) {
      return STALE_ACCEPTED;
    }
    boolean refused = asked && (request.has(Directive.MAX_AGE) || request.has(Directive.MIN_FRESH));
    long window = stored.whileRevalidate() * 1000;
    return !refused && window > 0 && -stored.remaining(now) <= window ? STALE_REVALIDATE : VALIDATE;
  }

  private static boolean refusesFresh(StoredResponse stored, CacheControl request, long now) {
    long maxAge = request.seconds(Directive.MAX_AGE);
    long minFresh = request.seconds(Directive.MIN_FRESH);
    return request.has(Directive.NO_CACHE)
        || (maxAge >= 0 && stored.age(now) > maxAge * 1000)
        || (minFresh >= 0 && stored.remaining(now) < minFresh * 1000);
  }

  private static boolean acceptsStale(StoredResponse stored, CacheControl request, long now) {
    long maxStale = request.seconds(Directive.MAX_STALE);
    boolean any = maxStale == CacheControl.MOST_SECONDS;
    return any || (maxStale >= 0 && -stored.remaining(now) <= maxStale * 1000);
  }
}
