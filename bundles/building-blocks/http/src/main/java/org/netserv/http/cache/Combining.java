// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import org.netserv.http.EntityTag;
import org.netserv.http.Field;
import org.netserv.http.FieldSection;
import org.netserv.http.HttpDate;
import org.netserv.http.ResponseHead;

/**
 * Decides whether a part that arrived belongs to a stored response (RFC 9111, 3.4, and RFC 9110,
 * 14.4 and 15.3.7.3), and whether an incomplete response may be sent (RFC 9111, 3.3).
 */
public enum Combining {
  /** The part is added, and the stored head is updated by {@link Freshening#update}. */
  COMBINE,
  /** The response is whole and replaces the stored one. */
  REPLACE,
  /** The response is neither a 200 nor a 206. */
  OTHER_STATUS,
  /** Content-Range is missing, invalid, or has another unit. */
  CONTENT_RANGE,
  /** The complete length is another one, or the content's length is not the range's. */
  LENGTH,
  /** The two do not share a strong validator. */
  VALIDATOR;

  /**
   * Decides about a response.
   *
   * @param range is pointed at the response's Content-Range
   */
  public static Combining decide(
      StoredResponse stored, ResponseHead response, ContentRange range, long responseTime) {
    if (response.status() != 206) {
      return response.status() == 200 ? REPLACE : OTHER_STATUS;
    }
    if (!range.reset(response.fields())) {
      return CONTENT_RANGE;
    }
    boolean other =
        stored.length() >= 0 && range.complete() >= 0 && range.complete() != stored.length();
    boolean beyond = stored.length() >= 0 && range.last() >= stored.length();
    long length = range.last() - range.first() + 1;
    if (other || beyond || (response.contentLength() >= 0 && response.contentLength() != length)) {
      return LENGTH;
    }
    return sharesStrongValidator(stored, response.fields(), responseTime) ? COMBINE : VALIDATOR;
  }

  /** Tells whether a response has the strong validator of a stored one (15.3.7.3). */
  static boolean sharesStrongValidator(
      StoredResponse stored, FieldSection fields, long responseTime) {
    int tag = fields.first(Field.ETAG);
    if (tag >= 0 || stored.hasTag()) {
      return tag >= 0
          && EntityTag.isTag(fields.bytes(), fields.valueStart(tag), fields.valueEnd(tag))
          && stored.sameTagStrongly(fields.bytes(), fields.valueStart(tag), fields.valueEnd(tag));
    }
    long modified = HttpDate.read(fields, Field.LAST_MODIFIED, responseTime / 1000);
    return modified != HttpDate.NONE
        && modified == stored.modified()
        && stored.hasStrongModified()
        && Freshness.date(fields, responseTime) >= modified * 1000 + 1000;
  }

  /**
   * Tells whether two stored responses are parts of the same representation: same length, same
   * strong validator.
   */
  public static boolean areParts(StoredResponse a, StoredResponse b) {
    if (a.length() != b.length() || a.length() < 0) {
      return false;
    }
    if (a.hasTag() || b.hasTag()) {
      return b.hasTag() && a.sameTagStrongly(b.head(), b.tag(), b.tagEnd());
    }
    return a.hasStrongModified() && b.hasStrongModified() && a.modified() == b.modified();
  }

  /** Tells whether the stored bytes answer a request: whole, or all ranges of it. */
  public static boolean answers(
      Extents extents, long length, ByteRanges.Verdict verdict, ByteRanges ranges) {
    return switch (verdict) {
      case UNSATISFIABLE -> length >= 0;
      case WHOLE -> length >= 0 && extents.covers(0, length);
      case SINGLE, MULTIPART -> {
        boolean covered = true;
        for (int i = 0; i < ranges.count(); i++) {
          covered &= extents.covers(ranges.first(i), ranges.last(i) + 1);
        }
        yield covered;
      }
    };
  }
}
