// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import org.netserv.http.Field;
import org.netserv.http.ResponseHead;

/**
 * Decides about the response to a request for a {@link Slice} (RFC 9111, 3.3 and 3.4, RFC 9110,
 * 14.4 and 15.3.7). An origin may answer less than it was asked for, and may have another content
 * now. Only a response that has exactly the slice of the same content is one.
 */
public enum SliceVerdict {
  /** The slice is all of the representation, which is stored as a complete 200. */
  ALL,
  /** The slice is one of the representation. */
  SLICE,
  /** The response is no 206, and does not say that the content is another one. */
  OTHER_STATUS,
  /** Content-Range is missing, invalid, or not the range that was asked for. */
  RANGE,
  /** The complete length is not known, or is not that of the other slices. */
  COMPLETE,
  /** Content-Length is not the length of the range. */
  LENGTH,
  /** The response has no strong validator, so other slices could not be joined with it. */
  VALIDATOR,
  /** The origin has another content than that of the slices stored, or none. */
  CHANGED;

  /**
   * Decides about the first slice.
   *
   * @param made the response as it would be stored, or null
   * @param range is pointed at the response's Content-Range
   */
  public static SliceVerdict first(
      Slice asked, StoredResponse made, ResponseHead response, ContentRange range) {
    if (response.status() != 206) {
      return OTHER_STATUS;
    }
    if (!range.reset(response.fields())) {
      return RANGE;
    }
    if (range.complete() < 0) {
      return COMPLETE;
    }
    if (!isExact(asked, range, range.complete())) {
      return RANGE;
    }
    if (isOtherLength(response, range)) {
      return LENGTH;
    }
    if (range.first() == 0 && range.last() + 1 == range.complete()) {
      return ALL;
    }
    return made != null && made.hasStrongValidator() ? SLICE : VALIDATOR;
  }

  /**
   * Decides about a slice beside others, asked for with If-Range.
   *
   * @param asked cut for the length of the stored response
   * @param range is pointed at the response's Content-Range
   */
  public static SliceVerdict next(
      Slice asked,
      StoredResponse stored,
      ResponseHead response,
      ContentRange range,
      long responseTime) {
    switch (response.status()) {
      case 206 -> {}
      case 200, 404, 410, 412, 416 -> {
        return CHANGED;
      }
      default -> {
        return OTHER_STATUS;
      }
    }
    boolean same = Combining.sharesStrongValidator(stored, response.fields(), responseTime);
    if (!same && (response.fields().has(Field.ETAG) || !stored.hasTag())) {
      return CHANGED;
    }
    if (!same) {
      return VALIDATOR;
    }
    if (!range.reset(response.fields())) {
      return RANGE;
    }
    if (range.complete() >= 0 && range.complete() != stored.length()) {
      return COMPLETE;
    }
    if (!isExact(asked, range, stored.length())) {
      return RANGE;
    }
    return isOtherLength(response, range) ? LENGTH : SLICE;
  }

  private static boolean isExact(Slice asked, ContentRange range, long length) {
    return range.first() == asked.from() && range.last() + 1 == Math.min(asked.to(), length);
  }

  private static boolean isOtherLength(ResponseHead response, ContentRange range) {
    long length = range.last() - range.first() + 1;
    return response.contentLength() >= 0 && response.contentLength() != length;
  }
}
