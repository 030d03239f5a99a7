// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import java.util.List;
import org.netserv.http.Field;
import org.netserv.http.HeadWriter;

/** Conditional requests of the cache, and what their responses mean (RFC 9111, 4.3.1 and 4.3.3). */
public final class Validation {
  /** The most entity tags in one request. */
  private static final int MOST_TAGS = 16;

  private Validation() {}

  /** The meaning of a response to a validation. */
  public enum Outcome {
    /** 304: stored responses are updated and used ({@link Freshening}). */
    FRESHEN,
    /** A full response: it is sent and may replace the stored ones. */
    REPLACE,
    /** A server error: {@link StaleOnError} decides. */
    ERROR
  }

  /** Decides by the status code of a final response. */
  public static Outcome outcome(int status) {
    if (status == 304) {
      return Outcome.FRESHEN;
    }
    return status >= 500 ? Outcome.ERROR : Outcome.REPLACE;
  }

  /**
   * Adds the preconditions to a forwarded request from which the client's own were left out.
   *
   * @param stored the responses to validate; those with no validator add nothing
   * @return whether a precondition was added
   */
  public static boolean write(HeadWriter out, List<StoredResponse> stored) {
    int tags = 0;
    for (int i = 0; i < stored.size() && tags < MOST_TAGS; i++) {
      StoredResponse response = stored.get(i);
      if (response.hasTag()) {
        if (tags++ == 0) {
          out.name(Field.IF_NONE_MATCH);
        } else {
          out.text(", ");
        }
        out.raw(response.head(), response.tag(), response.tagEnd());
      }
    }
    if (tags > 0) {
      out.line();
    }
    boolean dated = stored.size() == 1 && stored.get(0).hasModified();
    if (dated) {
      StoredResponse only = stored.get(0);
      out.field(Field.IF_MODIFIED_SINCE, only.head(), only.modifiedStart(), only.modifiedEnd());
    }
    return tags > 0 || dated;
  }

  /**
   * Adds If-Range for the completion of a stored part: the strong entity tag, or else a strong
   * Last-Modified (4.3.1, RFC 9110, 13.1.5).
   *
   * @return false if the response has no strong validator, so that it cannot be completed
   */
  public static boolean writeIfRange(HeadWriter out, StoredResponse part) {
    if (part.hasStrongTag()) {
      out.field(Field.IF_RANGE, part.head(), part.tag(), part.tagEnd());
      return true;
    }
    if (!part.hasTag() && part.hasStrongModified()) {
      out.field(Field.IF_RANGE, part.head(), part.modifiedStart(), part.modifiedEnd());
      return true;
    }
    return false;
  }
}
