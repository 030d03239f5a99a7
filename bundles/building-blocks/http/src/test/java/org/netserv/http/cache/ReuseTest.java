// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Reuse of a stored response, fresh and stale (RFC 9111, 4, 4.2.4, 5.2.1, and RFC 5861). */
class ReuseTest {
  private static StoredResponse stored(String control) {
    return Shelf.store("Cache-Control: " + control, "ETag: \"a\"");
  }

  private static Reuse reuse(String response, String request, long age) {
    CacheControl directives = Shelf.directives(request == null ? "" : request);
    return Reuse.decide(stored(response), directives, CacheSettings.EDGE, Shelf.NOW + age * 1000);
  }

  /** Columns: directives of the response, of the request, age in seconds, decision. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "max-age=60 | | 0 | FRESH",
        "max-age=60 | | 59 | FRESH",
        "max-age=60 | | 60 | VALIDATE",
        "max-age=60 | x | 59 | FRESH",
        "max-age=60, no-cache | | 0 | VALIDATE",
        "max-age=60, no-cache=\"x\" | | 0 | FRESH",
        "no-cache, stale-while-revalidate=99 | max-stale | 0 | VALIDATE",
        // 5.2.1.1 max-age
        "max-age=60 | max-age=30 | 30 | FRESH",
        "max-age=60 | max-age=30 | 31 | VALIDATE_FOR_REQUEST",
        "max-age=60 | max-age=0 | 0 | FRESH",
        "max-age=60 | max-age=0 | 1 | VALIDATE_FOR_REQUEST",
        "max-age=60 | max-age=x | 1 | FRESH",
        // 5.2.1.2 max-stale
        "max-age=60 | max-stale | 1000000 | STALE_ACCEPTED",
        "max-age=60 | max-stale=10 | 70 | STALE_ACCEPTED",
        "max-age=60 | max-stale=10 | 71 | VALIDATE",
        "max-age=60 | max-stale=x | 60 | VALIDATE",
        "max-age=60 | max-age=10, max-stale=10 | 70 | STALE_ACCEPTED",
        "max-age=60, must-revalidate | max-stale | 60 | VALIDATE",
        "max-age=60, proxy-revalidate | max-stale | 60 | VALIDATE",
        "s-maxage=60 | max-stale | 60 | VALIDATE",
        "s-maxage=60 | | 59 | FRESH",
        "max-age=60, must-revalidate | | 59 | FRESH",
        // 5.2.1.3 min-fresh
        "max-age=60 | min-fresh=20 | 40 | FRESH",
        "max-age=60 | min-fresh=20 | 41 | VALIDATE_FOR_REQUEST",
        // 5.2.1.4 no-cache
        "max-age=60 | no-cache | 0 | VALIDATE_FOR_REQUEST",
        "max-age=60 | no-cache, max-stale | 60 | VALIDATE",
        // 5.2.1.5 no-store concerns storing only
        "max-age=60 | no-store | 0 | FRESH",
        // 5.2.1.7 only-if-cached
        "max-age=60 | only-if-cached | 59 | FRESH",
        "max-age=60 | only-if-cached | 60 | GATEWAY_TIMEOUT",
        "max-age=60 | only-if-cached, max-stale | 60 | STALE_ACCEPTED",
        "max-age=60, no-cache | only-if-cached | 0 | GATEWAY_TIMEOUT",
        // RFC 5861, 3
        "max-age=60, stale-while-revalidate=10 | | 59 | FRESH",
        "max-age=60, stale-while-revalidate=10 | | 60 | STALE_REVALIDATE",
        "max-age=60, stale-while-revalidate=10 | | 70 | STALE_REVALIDATE",
        "max-age=60, stale-while-revalidate=10 | | 71 | VALIDATE",
        "max-age=60, stale-while-revalidate=0 | | 60 | VALIDATE",
        "max-age=60, stale-while-revalidate=x | | 60 | VALIDATE",
        "max-age=60, stale-while-revalidate=10 | max-age=60 | 65 | VALIDATE",
        "max-age=60, stale-while-revalidate=10 | no-cache | 65 | VALIDATE",
        "max-age=60, stale-while-revalidate=10, must-revalidate | | 65 | VALIDATE",
        "s-maxage=60, stale-while-revalidate=10 | | 65 | VALIDATE",
        "max-age=60, stale-while-revalidate=10 | only-if-cached | 65 | STALE_REVALIDATE"
      })
  void decisions(String response, String request, long age, Reuse expected) {
    assertEquals(expected, reuse(response, request, age));
  }

  @Test
  void directivesOfClientsCanBeIgnored() {
    CacheSettings deaf = new CacheSettings(List.of(), 10, 100, 0, false, 0, 8, 1000);
    StoredResponse stored = stored("max-age=60");
    for (String request : List.of("no-cache", "max-age=0", "min-fresh=99")) {
      assertEquals(
          Reuse.FRESH, Reuse.decide(stored, Shelf.directives(request), deaf, Shelf.NOW + 1));
    }
    long stale = Shelf.NOW + 60_000;
    assertEquals(Reuse.VALIDATE, Reuse.decide(stored, Shelf.directives("max-stale"), deaf, stale));
    assertEquals(
        Reuse.GATEWAY_TIMEOUT,
        Reuse.decide(stored, Shelf.directives("only-if-cached"), deaf, stale));
  }

  @Test
  void anInvalidatedResponseIsValidated() {
    StoredResponse invalid = stored("max-age=60").invalidated();
    assertEquals(
        Reuse.VALIDATE,
        Reuse.decide(invalid, Shelf.directives("max-stale"), CacheSettings.EDGE, Shelf.NOW));
  }

  @Test
  void nothingIsForwardedForOnlyIfCached() {
    assertFalse(Reuse.mayForward(Shelf.directives("only-if-cached")));
    assertTrue(Reuse.mayForward(Shelf.directives("no-cache")));
  }

  private static StaleOnError onError(String response, String request, long age, int status) {
    CacheControl directives = Shelf.directives(request == null ? "" : request);
    long now = Shelf.NOW + age * 1000;
    return StaleOnError.decide(stored(response), directives, status, CacheSettings.EDGE, now);
  }

  /** Columns: directives of the response, of the request, age, status (0 unreachable), answer. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "max-age=60, stale-if-error=10 | | 70 | 500 | SEND_STORED",
        "max-age=60, stale-if-error=10 | | 70 | 502 | SEND_STORED",
        "max-age=60, stale-if-error=10 | | 70 | 503 | SEND_STORED",
        "max-age=60, stale-if-error=10 | | 70 | 504 | SEND_STORED",
        "max-age=60, stale-if-error=10 | | 70 | 0 | SEND_STORED",
        "max-age=60, stale-if-error=10 | | 71 | 500 | SEND_ERROR",
        "max-age=60, stale-if-error=10 | | 71 | 0 | GATEWAY_TIMEOUT",
        "max-age=60, stale-if-error=10 | | 70 | 501 | SEND_ERROR",
        "max-age=60, stale-if-error=10 | | 70 | 404 | SEND_ERROR",
        "max-age=60 | | 61 | 503 | SEND_ERROR",
        "max-age=60 | | 61 | 0 | GATEWAY_TIMEOUT",
        "max-age=60 | stale-if-error=10 | 70 | 503 | SEND_STORED",
        "max-age=60 | stale-if-error=10 | 71 | 503 | SEND_ERROR",
        "max-age=60, stale-if-error=10, must-revalidate | | 61 | 0 | GATEWAY_TIMEOUT",
        "max-age=60, stale-if-error=10, proxy-revalidate | | 61 | 500 | SEND_ERROR",
        "s-maxage=60, stale-if-error=10 | | 61 | 0 | GATEWAY_TIMEOUT",
        "no-cache, stale-if-error=10 | | 1 | 0 | GATEWAY_TIMEOUT",
        "max-age=60, stale-if-error=10 | no-cache | 61 | 503 | SEND_ERROR"
      })
  void errors(String response, String request, long age, int status, StaleOnError expected) {
    assertEquals(expected, onError(response, request, age, status));
  }

  @Test
  void aDisconnectedCacheMayServeStaleWhereTheSettingsSaySo() {
    CacheSettings settings = new CacheSettings(List.of(), 10, 100, 0, true, 30, 8, 1000);
    CacheControl none = Shelf.directives("");
    StoredResponse stored = stored("max-age=60");
    assertEquals(
        StaleOnError.SEND_STORED,
        StaleOnError.decide(stored, none, StaleOnError.UNREACHABLE, settings, Shelf.NOW + 90_000));
    assertEquals(
        StaleOnError.GATEWAY_TIMEOUT,
        StaleOnError.decide(stored, none, StaleOnError.UNREACHABLE, settings, Shelf.NOW + 90_001));
    assertEquals(
        StaleOnError.SEND_ERROR,
        StaleOnError.decide(stored, none, 503, settings, Shelf.NOW + 61_000));
    StoredResponse strict = stored("max-age=60, must-revalidate");
    assertEquals(
        StaleOnError.GATEWAY_TIMEOUT,
        StaleOnError.decide(strict, none, StaleOnError.UNREACHABLE, settings, Shelf.NOW + 61_000));
  }
}
