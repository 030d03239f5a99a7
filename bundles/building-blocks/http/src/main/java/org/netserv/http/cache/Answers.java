// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import org.netserv.http.Field;
import org.netserv.http.FieldSection;
import org.netserv.http.HeadError;
import org.netserv.http.HeadWriter;

/**
 * Writes the heads with which a cache answers from a stored response. Each head ends in front of
 * its empty line, so that Cache-Status and the connection's own fields can follow. Each has Age
 * (RFC 9111, 4), calculated for the moment of writing. One thread.
 */
public final class Answers {
  private static final int MOST_FIELDS = 1000;

  private final FieldSection fields = new FieldSection(MOST_FIELDS);

  /** Writes the stored response itself, for GET and HEAD alike. */
  public void full(HeadWriter out, StoredResponse stored, long now) {
    out.begin().raw(stored.head(), 0, stored.head().length - 2);
    if (stored.length() >= 0) {
      out.field(Field.CONTENT_LENGTH, stored.length());
    }
    age(out, stored, now);
  }

  /** Writes a 304 with the fields that RFC 9110 section 15.4.5 demands. */
  public void notModified(HeadWriter out, StoredResponse stored, long now) {
    out.begin().status(304);
    required(out, stored, !stored.hasTag());
    age(out, stored, now);
  }

  /**
   * Writes a 206 with one range (15.3.7.1).
   *
   * @param ifRange whether the request has If-Range, so that the client has the other fields
   */
  public void part(
      HeadWriter out, StoredResponse stored, ByteRanges ranges, boolean ifRange, long now) {
    out.begin().status(206);
    if (ifRange) {
      required(out, stored, false);
    } else {
      others(out, stored, null);
    }
    ContentRange.write(out, ranges.first(0), ranges.last(0), stored.length());
    out.field(Field.CONTENT_LENGTH, ranges.last(0) - ranges.first(0) + 1);
    age(out, stored, now);
  }

  /**
   * Writes a 206 with several ranges (15.3.7.2), without Content-Range.
   *
   * @param length of the content by {@link MultipartRanges#length}
   */
  public void multipart(
      HeadWriter out,
      StoredResponse stored,
      MultipartRanges parts,
      long length,
      boolean ifRange,
      long now) {
    out.begin().status(206);
    if (ifRange) {
      required(out, stored, false);
    } else {
      others(out, stored, Field.CONTENT_TYPE);
    }
    parts.contentType(out);
    out.field(Field.CONTENT_LENGTH, length);
    age(out, stored, now);
  }

  /** Writes a 416 with the length of the representation (15.5.17). */
  public void unsatisfiable(HeadWriter out, StoredResponse stored, long now) {
    out.begin().status(416).date(Field.DATE, Math.floorDiv(now, 1000L));
    ContentRange.writeUnsatisfied(out, stored.length());
    out.field(Field.CONTENT_LENGTH, 0);
  }

  /** Finds the stored Content-Type for the parts of a multipart answer: a line, or -1. */
  public int contentType(StoredResponse stored) {
    read(stored);
    return fields.first(Field.CONTENT_TYPE);
  }

  /** The stored fields that the last call has read. */
  public FieldSection fields() {
    return fields;
  }

  private static void age(HeadWriter out, StoredResponse stored, long now) {
    out.field(Field.AGE, Math.min(CacheControl.MOST_SECONDS, stored.age(now) / 1000));
  }

  private void required(HeadWriter out, StoredResponse stored, boolean modified) {
    read(stored);
    for (int line = 0; line < fields.count(); line++) {
      Field field = fields.known(line);
      if (field != null && isRequired(field, modified)) {
        out.copy(fields, line);
      }
    }
  }

  private static boolean isRequired(Field field, boolean modified) {
    return switch (field) {
      case CACHE_CONTROL,
          CACHE_STATUS,
          CDN_CACHE_CONTROL,
          CONTENT_LOCATION,
          DATE,
          ETAG,
          EXPIRES,
          VARY,
          VIA ->
          true;
      case LAST_MODIFIED -> modified;
      default -> false;
    };
  }

  private void others(HeadWriter out, StoredResponse stored, Field except) {
    read(stored);
    for (int line = 0; line < fields.count(); line++) {
      if (except == null || fields.known(line) != except) {
        out.copy(fields, line);
      }
    }
  }

  private void read(StoredResponse stored) {
    byte[] head = stored.head();
    int line = 0;
    while (line < head.length && head[line] != '\n') {
      line++;
    }
    HeadError error = fields.reset(head, Math.min(line + 1, head.length), head.length);
    if (error != HeadError.OK) {
      throw new IllegalStateException("a stored head is not sound: " + error.text());
    }
  }
}
