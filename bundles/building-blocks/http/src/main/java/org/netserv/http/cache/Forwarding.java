// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import org.netserv.http.Field;
import org.netserv.http.FieldSection;
import org.netserv.http.HeadWriter;
import org.netserv.http.RequestHead;

/**
 * Writes the request that goes on to the origin (RFC 9110, 7.6, and RFC 9112, 3.2). The head ends
 * in front of its empty line, so that preconditions of {@link Validation} can follow.
 */
public final class Forwarding {
  private Forwarding() {}

  /** The purposes of a forwarded request. */
  public enum Purpose {
    /** The request is the client's, with its preconditions and Range. */
    PASS,
    /** The whole representation is wanted, so the client's preconditions and Range stay out. */
    FILL
  }

  /**
   * Writes request line, Host, the end-to-end fields in their order, the framing of the content,
   * and Via.
   *
   * @param name of this intermediary in Via, a token or host
   */
  public static void write(HeadWriter out, RequestHead request, Purpose purpose, String name) {
    FieldSection fields = request.fields();
    byte[] bytes = request.bytes();
    out.begin()
        .request(
            bytes,
            request.methodStart(),
            request.methodEnd(),
            request.pathStart(),
            request.pathEnd());
    out.field(Field.HOST, bytes, request.hostStart(), request.hostEnd());
    for (int line = 0; line < fields.count(); line++) {
      if (goesOn(fields, line, purpose) && HeadWriter.isEndToEnd(fields, line)) {
        out.copy(fields, line);
      }
    }
    if (request.isChunked()) {
      out.field(Field.TRANSFER_ENCODING, "chunked");
    }
    out.name(Field.VIA).text("1.").number(request.minor()).text(" ").text(name).line();
  }

  private static boolean goesOn(FieldSection fields, int line, Purpose purpose) {
    Field field = fields.known(line);
    if (field == null) {
      return true;
    }
    return switch (field) {
      case HOST, PROXY_AUTHORIZATION -> false;
      case IF_MATCH, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_RANGE, IF_UNMODIFIED_SINCE, RANGE ->
          purpose == Purpose.PASS;
      default -> true;
    };
  }
}
