// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import java.nio.charset.StandardCharsets;
import org.netserv.http.Field;
import org.netserv.http.HeadWriter;
import org.netserv.http.Octets;

/**
 * Writes what stands around the parts of multipart/byteranges (RFC 9110, 14.6 and 15.3.7.2).
 *
 * <pre>
 *   --boundary CRLF  Content-Type CRLF  Content-Range CRLF  CRLF  bytes      partHead(0)
 *   CRLF --boundary CRLF ...                                                  partHead(1)
 *   CRLF --boundary-- CRLF                                                    end()
 * </pre>
 */
public final class MultipartRanges {
  private static final byte[] LINE = {'\r', '\n'};

  private final byte[] boundary;

  /**
   * Makes a writer for one response.
   *
   * @param boundary random, so that the content has it by no design: 1 to 70 token characters
   */
  public MultipartRanges(String boundary) {
    this.boundary = ("--" + boundary).getBytes(StandardCharsets.US_ASCII);
    if (boundary.length() > 70 || !Octets.areToken(this.boundary, 0, this.boundary.length)) {
      throw new IllegalArgumentException("a boundary has 1 to 70 token characters: " + boundary);
    }
  }

  /** Adds the Content-Type of the response. */
  public void contentType(HeadWriter out) {
    out.name(Field.CONTENT_TYPE).text("multipart/byteranges; boundary=");
    out.raw(boundary, 2, boundary.length).line();
  }

  /**
   * Adds the head of a part.
   *
   * @param type octets of the stored Content-Type, an empty range for none
   */
  public void partHead(
      HeadWriter out,
      ByteRanges ranges,
      int place,
      long complete,
      byte[] type,
      int start,
      int end) {
    if (place > 0) {
      out.raw(LINE, 0, LINE.length);
    }
    out.raw(boundary, 0, boundary.length).line();
    if (end > start) {
      out.field(Field.CONTENT_TYPE, type, start, end);
    }
    ContentRange.write(out, ranges.first(place), ranges.last(place), complete);
    out.line();
  }

  /** Adds the close delimiter. */
  public void end(HeadWriter out) {
    out.raw(LINE, 0, LINE.length);
    out.raw(boundary, 0, boundary.length).text("--").line();
  }

  /**
   * Calculates the length of the whole content.
   *
   * @param scratch a writer that holds a part's head; its content is lost
   */
  public long length(
      HeadWriter scratch, ByteRanges ranges, long complete, byte[] type, int start, int end) {
    long sum = 0;
    for (int place = 0; place < ranges.count(); place++) {
      partHead(scratch.begin(), ranges, place, complete, type, start, end);
      sum += scratch.length() + ranges.last(place) - ranges.first(place) + 1;
    }
    end(scratch.begin());
    return sum + scratch.length();
  }
}
