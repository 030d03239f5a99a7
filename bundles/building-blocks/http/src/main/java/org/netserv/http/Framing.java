// SPDX-License-Identifier: Apache-2.0
package org.netserv.http;

/**
 * Reads the length of a message's content (RFC 9112, 6). Each form that two recipients may read
 * differently is refused, also where the RFC would allow one reading: Content-Length twice with the
 * same value, or Transfer-Encoding over Content-Length.
 */
final class Framing {
  private static final long MOST = 1L << 62;

  private final ListCursor list = new ListCursor();
  private long contentLength;
  private boolean chunked;

  /** Reads the fields of a message of HTTP/1.{@code minor}. */
  HeadError reset(FieldSection fields, int minor) {
    contentLength = -1;
    chunked = false;
    HeadError error = lookalikes(fields);
    if (error == HeadError.OK) {
      error = length(fields);
    }
    return error == HeadError.OK ? coding(fields, minor) : error;
  }

  private static HeadError lookalikes(FieldSection fields) {
    for (int line = 0; line < fields.count(); line++) {
      if (fields.known(line) == null
          && (imitates(fields, line, Field.CONTENT_LENGTH)
              || imitates(fields, line, Field.TRANSFER_ENCODING))) {
        return HeadError.LOOKALIKE;
      }
    }
    return HeadError.OK;
  }

  private static boolean imitates(FieldSection fields, int line, Field field) {
    byte[] name = field.octets();
    int start = fields.nameStart(line);
    if (fields.nameEnd(line) - start != name.length) {
      return false;
    }
    for (int i = 0; i < name.length; i++) {
      byte octet = fields.bytes()[start + i];
      if (Octets.lower(octet == '_' ? (byte) '-' : octet) != Octets.lower(name[i])) {
        return false;
      }
    }
    return true;
  }

  private HeadError length(FieldSection fields) {
    int line = fields.first(Field.CONTENT_LENGTH);
    if (line < 0) {
      return HeadError.OK;
    }
    int start = fields.valueStart(line);
    int end = fields.valueEnd(line);
    if (fields.next(Field.CONTENT_LENGTH, line + 1) >= 0
        || ListCursor.comma(fields.bytes(), start, end) < end) {
      return HeadError.CONTENT_LENGTH_REPEATED;
    }
    contentLength = Octets.decimal(fields.bytes(), start, end, MOST);
    return contentLength >= 0 && contentLength < MOST ? HeadError.OK : HeadError.CONTENT_LENGTH;
  }

  private HeadError coding(FieldSection fields, int minor) {
    int line = fields.first(Field.TRANSFER_ENCODING);
    if (line < 0) {
      return HeadError.OK;
    }
    if (minor == 0) {
      return HeadError.TRANSFER_ENCODING_VERSION;
    }
    if (fields.has(Field.CONTENT_LENGTH)) {
      return HeadError.LENGTH_AND_CODING;
    }
    int end = fields.valueEnd(line);
    if (fields.next(Field.TRANSFER_ENCODING, line + 1) >= 0
        || ListCursor.comma(fields.bytes(), fields.valueStart(line), end) < end) {
      return HeadError.TRANSFER_ENCODING_REPEATED;
    }
    chunked = fields.valueIs(line, "chunked");
    return chunked ? HeadError.OK : HeadError.TRANSFER_CODING;
  }

  /** Tells whether Connection asks for the removal of a field that frames or routes. */
  boolean isNamedByConnection(FieldSection fields) {
    list.reset(fields, Field.CONNECTION);
    while (list.next()) {
      Field field = Field.of(fields.bytes(), list.start(), list.end());
      if (field == Field.CONTENT_LENGTH
          || field == Field.TRANSFER_ENCODING
          || field == Field.HOST) {
        return true;
      }
    }
    return false;
  }

  /** Tells whether Connection lists the option. */
  boolean hasOption(FieldSection fields, String option) {
    list.reset(fields, Field.CONNECTION);
    while (list.next()) {
      if (list.is(option)) {
        return true;
      }
    }
    return false;
  }

  /** The value of Content-Length, or -1. */
  long contentLength() {
    return contentLength;
  }

  boolean isChunked() {
    return chunked;
  }
}
