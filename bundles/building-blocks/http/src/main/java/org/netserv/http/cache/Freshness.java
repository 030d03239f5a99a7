// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import org.netserv.http.Field;
import org.netserv.http.FieldSection;
import org.netserv.http.HttpDate;

/** Calculates the freshness lifetime of a response (RFC 9111, 4.2.1 and 4.2.2). */
public final class Freshness {
  private Freshness() {}

  /** The information that gives a response its lifetime, in the order of 4.2.1. */
  public enum Source {
    S_MAXAGE,
    MAX_AGE,
    EXPIRES,
    HEURISTIC,
    /** The setting for errors, which is a heuristic as well. */
    NEGATIVE,
    /** The response has no lifetime and has to be validated at each use. */
    NONE
  }

  /** Finds the source of a response's lifetime. */
  public static Source source(Policy policy, FieldSection fields, int status) {
    CacheControl directives = policy.directives();
    if (directives.has(Directive.S_MAXAGE)) {
      return Source.S_MAXAGE;
    }
    if (directives.has(Directive.MAX_AGE)) {
      return Source.MAX_AGE;
    }
    if (!policy.isTargeted() && fields.has(Field.EXPIRES)) {
      return Source.EXPIRES;
    }
    boolean allowed = StatusCodes.isHeuristic(status) || directives.has(Directive.PUBLIC);
    if (allowed && fields.has(Field.LAST_MODIFIED)) {
      return Source.HEURISTIC;
    }
    return StatusCodes.isNegative(status) ? Source.NEGATIVE : Source.NONE;
  }

  /**
   * Calculates the lifetime. Information that is wrong, or Expires twice, gives none (4.2.1, 5.3).
   *
   * @param date the value of Date, or the response time without one, in milliseconds
   * @return milliseconds, at least 0
   */
  public static long lifetime(
      Source source, Policy policy, FieldSection fields, long date, CacheSettings settings) {
    return switch (source) {
      case S_MAXAGE -> seconds(policy.directives().seconds(Directive.S_MAXAGE));
      case MAX_AGE -> seconds(policy.directives().seconds(Directive.MAX_AGE));
      case EXPIRES -> expires(fields, date);
      case HEURISTIC -> heuristic(fields, date, settings);
      case NEGATIVE -> seconds(settings.negativeSeconds());
      case NONE -> 0;
    };
  }

  private static long seconds(long value) {
    return Math.max(0, value) * 1000;
  }

  private static long expires(FieldSection fields, long date) {
    long expires = HttpDate.read(fields, Field.EXPIRES, date / 1000);
    if (expires == HttpDate.NONE || fields.lines(Field.EXPIRES) > 1) {
      return 0;
    }
    return Math.max(0, expires * 1000 - date);
  }

  private static long heuristic(FieldSection fields, long date, CacheSettings settings) {
    long modified = HttpDate.read(fields, Field.LAST_MODIFIED, date / 1000);
    if (modified == HttpDate.NONE) {
      return 0;
    }
    long since = Math.max(0, date - modified * 1000);
    long share = since / 100 * settings.heuristicPercent();
    return Math.min(settings.heuristicSeconds() * 1000, share);
  }

  /**
   * Returns the time that Date names, or the response time where Date is missing or wrong (RFC
   * 9110, 6.6.1).
   */
  public static long date(FieldSection fields, long responseTime) {
    long date = HttpDate.read(fields, Field.DATE, responseTime / 1000);
    return date == HttpDate.NONE ? responseTime : date * 1000;
  }
}
