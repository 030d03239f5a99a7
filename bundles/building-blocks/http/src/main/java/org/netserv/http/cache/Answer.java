// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import org.netserv.http.RequestHead;

/**
 * Forms of the answer from a stored response that may be sent, in the order of RFC 9110 section
 * 13.2.2: preconditions, then If-Range, then Range.
 */
public enum Answer {
  /** The whole stored response. */
  FULL,
  /** 304: the client has the response. */
  NOT_MODIFIED,
  /** 206 with one range. */
  PART,
  /** 206 with several ranges. */
  PARTS,
  /** 416: no range lies in the representation. */
  UNSATISFIABLE;

  /**
   * Decides.
   *
   * @param ranges is pointed at the ranges of the request
   */
  public static Answer decide(
      RequestHead request, StoredResponse stored, ByteRanges ranges, long now) {
    Preconditions.Result result =
        Preconditions.evaluate(request.method(), request.fields(), stored, now);
    if (result == Preconditions.Result.NOT_MODIFIED) {
      return NOT_MODIFIED;
    }
    if (stored.status() != 200 || !Preconditions.allowsRange(request.fields(), stored, now)) {
      return FULL;
    }
    return switch (ranges.reset(request.method(), request.fields(), stored.length())) {
      case WHOLE -> FULL;
      case SINGLE -> PART;
      case MULTIPART -> PARTS;
      case UNSATISFIABLE -> UNSATISFIABLE;
    };
  }
}
