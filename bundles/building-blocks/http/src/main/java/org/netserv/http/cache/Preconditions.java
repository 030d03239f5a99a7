// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import org.netserv.http.EntityTag;
import org.netserv.http.Field;
import org.netserv.http.FieldSection;
import org.netserv.http.HttpDate;
import org.netserv.http.HttpMethod;
import org.netserv.http.Octets;

/**
 * Evaluates a client's preconditions on a stored response that may be sent (RFC 9110, 13, and RFC
 * 9111, 4.3.2). If-Match and If-Unmodified-Since are for origin servers and are not evaluated.
 */
public final class Preconditions {
  private Preconditions() {}

  /** The outcomes of steps 3 and 4 of RFC 9110 section 13.2.2. */
  public enum Result {
    PROCEED,
    /** The client has the response already: 304. */
    NOT_MODIFIED
  }

  /** Evaluates If-None-Match, or else If-Modified-Since. */
  public static Result evaluate(
      HttpMethod method, FieldSection request, StoredResponse stored, long now) {
    boolean retrieves = method == HttpMethod.GET || method == HttpMethod.HEAD;
    if (!retrieves || stored.status() < 200 || stored.status() > 299) {
      return Result.PROCEED;
    }
    if (request.has(Field.IF_NONE_MATCH)) {
      return matches(request, stored) ? Result.NOT_MODIFIED : Result.PROCEED;
    }
    return isUnmodified(request, stored, now) ? Result.NOT_MODIFIED : Result.PROCEED;
  }

  /** Tells whether If-None-Match names the stored response, by weak comparison (13.1.2). */
  private static boolean matches(FieldSection request, StoredResponse stored) {
    int line = request.first(Field.IF_NONE_MATCH);
    while (line >= 0) {
      if (request.valueIs(line, "*") || lists(request, line, stored)) {
        return true;
      }
      line = request.next(Field.IF_NONE_MATCH, line + 1);
    }
    return false;
  }

  private static boolean lists(FieldSection request, int line, StoredResponse stored) {
    byte[] bytes = request.bytes();
    int stop = request.valueEnd(line);
    int at = request.valueStart(line);
    while (at < stop) {
      int end = EntityTag.end(bytes, at, stop);
      if (end > 0 && stored.sameTagWeakly(bytes, at, end)) {
        return true;
      }
      at = nextMember(bytes, end > 0 ? end : at, stop);
    }
    return false;
  }

  private static int nextMember(byte[] bytes, int from, int stop) {
    int at = from;
    while (at < stop && bytes[at] != ',') {
      at++;
    }
    while (at < stop && (bytes[at] == ',' || Octets.isBlank(bytes[at]))) {
      at++;
    }
    return at;
  }

  /** Evaluates If-Modified-Since (13.1.3); Date stands in for Last-Modified (9111, 4.3.2). */
  private static boolean isUnmodified(FieldSection request, StoredResponse stored, long now) {
    if (request.lines(Field.IF_MODIFIED_SINCE) != 1) {
      return false;
    }
    long since = HttpDate.read(request, Field.IF_MODIFIED_SINCE, now / 1000);
    long modified = stored.hasModified() ? stored.modified() : stored.date() / 1000;
    return since != HttpDate.NONE && modified <= since;
  }

  /**
   * Tells whether Range applies, by If-Range (13.1.5): an equal strong entity tag, or the very date
   * of a strong Last-Modified.
   */
  public static boolean allowsRange(FieldSection request, StoredResponse stored, long now) {
    int line = request.first(Field.IF_RANGE);
    if (line < 0) {
      return true;
    }
    if (request.next(Field.IF_RANGE, line + 1) >= 0) {
      return false;
    }
    byte[] bytes = request.bytes();
    int start = request.valueStart(line);
    int end = request.valueEnd(line);
    if (EntityTag.isTag(bytes, start, end)) {
      return stored.sameTagStrongly(bytes, start, end);
    }
    long date = HttpDate.read(bytes, start, end, now / 1000);
    return date != HttpDate.NONE && date == stored.modified() && stored.hasStrongModified();
  }
}
