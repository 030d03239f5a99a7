// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import org.netserv.http.Field;
import org.netserv.http.FieldSection;
import org.netserv.http.HeadWriter;
import org.netserv.http.HttpMethod;
import org.netserv.http.Octets;
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

  /** Chooses among the field lines of a request. */
  @FunctionalInterface
  public interface Lines {
    /** Tells whether a line goes on to the origin. */
    boolean goOn(FieldSection fields, int line);
  }

  /**
   * Tells whether a request may go on: OPTIONS and TRACE with Max-Forwards 0 end here, and the
   * module answers them (RFC 9110, 7.6.2).
   */
  public static boolean isAllowed(RequestHead request) {
    FieldSection fields = request.fields();
    return !countsHops(request) || hops(fields, fields.first(Field.MAX_FORWARDS)) != 0;
  }

  private static boolean countsHops(RequestHead request) {
    boolean method = request.method() == HttpMethod.OPTIONS || request.method() == HttpMethod.TRACE;
    return method && request.fields().has(Field.MAX_FORWARDS);
  }

  /** Reads Max-Forwards, negative where it is no number. */
  private static long hops(FieldSection fields, int line) {
    return Octets.decimal(fields.bytes(), fields.valueStart(line), fields.valueEnd(line), 1 << 30);
  }

  /** Writes the head with all end-to-end fields. */
  public static void write(HeadWriter out, RequestHead request, Purpose purpose, String name) {
    write(out, request, purpose, name, (fields, line) -> true);
  }

  /**
   * Writes request line, Host, the end-to-end fields in their order, the framing of the content,
   * and Via.
   *
   * @param name of this intermediary in Via, a token or host
   * @param lines the choice of the module among the end-to-end fields
   */
  public static void write(
      HeadWriter out, RequestHead request, Purpose purpose, String name, Lines lines) {
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
      if (goesOn(fields, line, purpose)
          && HeadWriter.isEndToEnd(fields, line)
          && lines.goOn(fields, line)) {
        line(out, request, line);
      }
    }
    if (request.isChunked()) {
      out.field(Field.TRANSFER_ENCODING, "chunked");
    }
    out.name(Field.VIA).text("1.").number(request.minor()).text(" ").text(name).line();
  }

  private static void line(HeadWriter out, RequestHead request, int line) {
    FieldSection fields = request.fields();
    boolean counted = fields.known(line) == Field.MAX_FORWARDS && countsHops(request);
    long hops = counted ? hops(fields, line) : 0;
    if (!counted) {
      out.copy(fields, line);
    } else if (hops > 0) {
      out.field(Field.MAX_FORWARDS, hops - 1);
    }
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
