// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import org.netserv.http.Field;
import org.netserv.http.FieldSection;
import org.netserv.http.HeadWriter;
import org.netserv.http.Octets;

/**
 * A view of Content-Range (RFC 9110, 14.4) for byte ranges.
 *
 * <pre>
 *   Content-Range: bytes 42-1233/1234        complete length known
 *   Content-Range: bytes 42-1233/*           complete length unknown
 * </pre>
 */
public final class ContentRange {
  private static final long MOST = 1L << 62;

  private long first;
  private long last;
  private long complete;

  /** Reads the field. Returns false if it is missing, repeated, of another unit or invalid. */
  public boolean reset(FieldSection fields) {
    int line = fields.first(Field.CONTENT_RANGE);
    if (line < 0 || fields.next(Field.CONTENT_RANGE, line + 1) >= 0) {
      return false;
    }
    byte[] bytes = fields.bytes();
    int start = fields.valueStart(line);
    int end = fields.valueEnd(line);
    int numbers = start + 6;
    if (numbers >= end || !Octets.same(bytes, start, numbers, "bytes ")) {
      return false;
    }
    int dash = find(bytes, numbers, end, '-');
    int slash = find(bytes, dash, end, '/');
    if (slash >= end) {
      return false;
    }
    first = Octets.decimal(bytes, numbers, dash, MOST);
    last = Octets.decimal(bytes, dash + 1, slash, MOST);
    boolean unknown = end - slash == 2 && bytes[slash + 1] == '*';
    complete = unknown ? -1 : Octets.decimal(bytes, slash + 1, end, MOST);
    return first >= 0
        && last >= first
        && last < MOST
        && (unknown || (complete > last && complete < MOST));
  }

  private static int find(byte[] bytes, int start, int end, char octet) {
    int at = start;
    while (at < end && bytes[at] != octet) {
      at++;
    }
    return at;
  }

  /** Offset of the first byte. */
  public long first() {
    return first;
  }

  /** Offset of the last byte, inclusive. */
  public long last() {
    return last;
  }

  /** The complete length, or -1 if it is not known. */
  public long complete() {
    return complete;
  }

  /** Writes the field of a range of a known length. */
  static void write(HeadWriter out, long first, long last, long complete) {
    out.name(Field.CONTENT_RANGE).text("bytes ").number(first).text("-").number(last);
    out.text("/").number(complete).line();
  }

  /** Writes the field of a 416 (14.4). */
  static void writeUnsatisfied(HeadWriter out, long complete) {
    out.name(Field.CONTENT_RANGE).text("bytes */").number(complete).line();
  }
}
