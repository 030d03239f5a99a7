// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import org.netserv.http.Field;
import org.netserv.http.FieldSection;
import org.netserv.http.HeadWriter;

/** The fields of a response that are stored and updated (RFC 9111, 3.1 and 3.2). */
final class StoredHead {
  private StoredHead() {}

  /**
   * Adds the fields that are stored. Age and lengths are kept as numbers beside the head.
   *
   * @param part whether the response is a 206, so that Content-Range has been used up
   */
  static void write(HeadWriter out, FieldSection fields, CacheControl directives, boolean part) {
    for (int line = 0; line < fields.count(); line++) {
      boolean used = part && fields.known(line) == Field.CONTENT_RANGE;
      if (!used && isStored(fields, line) && !directives.lists(fields, line)) {
        out.copy(fields, line);
      }
    }
  }

  /**
   * Adds Date to a response without it (RFC 9110, 6.6.1).
   *
   * @param responseTime milliseconds
   */
  static void date(HeadWriter out, FieldSection fields, long responseTime) {
    if (!fields.has(Field.DATE)) {
      out.date(Field.DATE, Math.floorDiv(responseTime, 1000L));
    }
  }

  /** Adds the stored fields that a newer response does not have, and then the newer ones (3.2). */
  static void merge(HeadWriter out, FieldSection stored, FieldSection newer, long responseTime) {
    for (int line = 0; line < stored.count(); line++) {
      if (stored.known(line) != Field.DATE && !isReplaced(stored, line, newer)) {
        out.copy(stored, line);
      }
    }
    for (int line = 0; line < newer.count(); line++) {
      if (isUpdate(newer, line)) {
        out.copy(newer, line);
      }
    }
    date(out, newer, responseTime);
  }

  private static boolean isReplaced(FieldSection stored, int line, FieldSection newer) {
    byte[] name = stored.bytes();
    int start = stored.nameStart(line);
    int end = stored.nameEnd(line);
    int other = newer.next(name, start, end, 0);
    while (other >= 0) {
      if (isUpdate(newer, other)) {
        return true;
      }
      other = newer.next(name, start, end, other + 1);
    }
    return false;
  }

  private static boolean isStored(FieldSection fields, int line) {
    Field field = fields.known(line);
    if (field == null) {
      return HeadWriter.isEndToEnd(fields, line);
    }
    return switch (field) {
      case AGE,
          CONTENT_LENGTH,
          PROXY_AUTHENTICATE,
          PROXY_AUTHENTICATION_INFO,
          PROXY_AUTHORIZATION ->
          false;
      default -> HeadWriter.isEndToEnd(fields, line);
    };
  }

  /**
   * Tells whether a line updates a stored response: Content-Range describes the newer one (3.2).
   */
  private static boolean isUpdate(FieldSection fields, int line) {
    return fields.known(line) != Field.CONTENT_RANGE && isStored(fields, line);
  }
}
