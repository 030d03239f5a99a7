// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import java.util.List;
import java.util.Locale;

/**
 * The choices that RFC 9111 leaves to a cache.
 *
 * @param targets names of the targeted fields (RFC 9213, 2.2), the most applicable first
 * @param heuristicPercent share of the time since Last-Modified that is a heuristic lifetime (RFC
 *     9111, 4.2.2), 0 to 100; 0 turns heuristics off
 * @param heuristicSeconds the longest heuristic lifetime
 * @param negativeSeconds the lifetime of a 404, 405, 410, 414 or 501 that says nothing of its own
 *     (RFC 9111, 4.2.2); 0 for none
 * @param clientDirectives whether the request directives of RFC 9111 section 5.2.1 are honoured;
 *     only-if-cached and no-store always are
 * @param disconnectedSeconds for how long past its lifetime a response is served while the origin
 *     cannot be reached (4.2.4), unless a directive forbids it; 0 for never
 * @param varyFields the most names in a Vary field, 1 to 100
 * @param varyBytes the most bytes of a secondary key, 64 to 65535
 */
public record CacheSettings(
    List<String> targets,
    int heuristicPercent,
    long heuristicSeconds,
    long negativeSeconds,
    boolean clientDirectives,
    long disconnectedSeconds,
    int varyFields,
    int varyBytes) {

  /** The settings of an edge cache: CDN-Cache-Control, 10 % up to a day, 8 names in Vary. */
  public static final CacheSettings EDGE =
      new CacheSettings(List.of("cdn-cache-control"), 10, 86_400, 0, true, 0, 8, 2_048);

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException if one is not kept
   */
  public CacheSettings {
    targets = targets.stream().map(name -> name.toLowerCase(Locale.ROOT)).toList();
    check("heuristicPercent", heuristicPercent, 0, 100);
    check("heuristicSeconds", heuristicSeconds, 0, CacheControl.MOST_SECONDS);
    check("negativeSeconds", negativeSeconds, 0, CacheControl.MOST_SECONDS);
    check("disconnectedSeconds", disconnectedSeconds, 0, CacheControl.MOST_SECONDS);
    check("varyFields", varyFields, 1, 100);
    check("varyBytes", varyBytes, 64, 65_535);
  }

  private static void check(String name, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(name + " is " + value + ", not " + least + " to " + most);
    }
  }
}
