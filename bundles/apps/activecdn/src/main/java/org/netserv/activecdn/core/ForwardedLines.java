// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import java.nio.charset.StandardCharsets;
import org.netserv.http.FieldSection;
import org.netserv.http.Octets;

/**
 * Chooses the fields of a request that go to the origin.
 *
 * <p>Fields that say where a request came from are the edge's to write, so a client's own do not
 * pass. Fields that change what the origin answers, and that no cache has in its key, do not pass
 * where the answer may be stored: one client could poison it for all.
 */
final class ForwardedLines {
  private static final byte[] FORWARDED = ascii("forwarded");
  private static final byte[] X_FORWARDED = ascii("x-forwarded-");
  private static final byte[][] REWRITING = {
    ascii("x-original-url"),
    ascii("x-rewrite-url"),
    ascii("x-original-host"),
    ascii("x-host"),
    ascii("x-http-method"),
    ascii("x-http-method-override"),
    ascii("x-method-override")
  };

  private ForwardedLines() {}

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Tells whether a line of a request goes on whose answer is for its client alone. */
  static boolean ofOne(FieldSection fields, int line) {
    byte[] bytes = fields.bytes();
    int start = fields.nameStart(line);
    int end = fields.nameEnd(line);
    int prefix = Math.min(end, start + X_FORWARDED.length);
    return !Octets.same(bytes, start, prefix, X_FORWARDED, 0, X_FORWARDED.length)
        && !Octets.same(bytes, start, end, FORWARDED, 0, FORWARDED.length);
  }

  /** Tells whether a line of a request goes on whose answer may be stored. */
  static boolean ofMany(FieldSection fields, int line) {
    for (byte[] name : REWRITING) {
      if (Octets.same(
          fields.bytes(), fields.nameStart(line), fields.nameEnd(line), name, 0, name.length)) {
        return false;
      }
    }
    return ofOne(fields, line);
  }
}
