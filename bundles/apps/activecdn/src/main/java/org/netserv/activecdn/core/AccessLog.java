// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.Locale;
import org.netserv.http.Field;
import org.netserv.http.RequestHead;

/**
 * The newest requests, a line for each, oldest first. Lines have numbers in the order in which
 * responses ended, from 1 on, so a reader that asks for what comes behind its last line sees
 * whether it came too late for some.
 *
 * <pre>
 *   7 192.0.2.1 - - [27/Nov/2026:13:05:00 +0000] "GET http://a/x HTTP/1.1" 200 5120
 *       "http://a/" "curl/8.5" "hit; ttl=60" whole 3
 * </pre>
 *
 * Behind the number stands the Combined Log Format; then the outcome in words of Cache-Status (RFC
 * 9211), whether the client has the whole response, and milliseconds from its request to its end. A
 * quote, a backslash and what is not printable ASCII are written as {@code \xHH}. Used by the event
 * loop alone.
 */
final class AccessLog {
  /** The most octets of a method, a host, a path or a field's value; the rest is left out. */
  static final int MOST_TEXT = 1024;

  /** About the most bytes that one answer has. */
  static final int MOST_ANSWER = 1 << 18;

  private static final DateTimeFormatter DATE =
      DateTimeFormatter.ofPattern("'['dd/MMM/yyyy:HH:mm:ss Z']'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  /** Bytes of the heap that a line takes besides its text. */
  private static final int OVERHEAD = 64;

  private final long most;
  private final Deque<String> lines = new ArrayDeque<>();
  private long first = 1; // number of the oldest line
  private long bytes;

  /** Ends of a response. */
  enum Ending {
    /** The client was given all of it. */
    WHOLE,
    /** It was cut, because the origin's was. */
    CUT,
    /** The client went, was too slow, or broke its request off. */
    GONE;

    final String word = name().toLowerCase(Locale.ROOT);
  }

  /**
   * A response.
   *
   * @param status its code, 0 = the client went before its head
   * @param content bytes of content that were written
   * @param cache the outcome in words of Cache-Status, empty for answers without one
   * @param millis from the request to the end
   */
  record Response(int status, long content, String cache, Ending ending, long millis) {}

  /**
   * Makes a log.
   *
   * @param most bytes of the heap that it may take, about; 0 keeps nothing
   */
  AccessLog(long most) {
    this.most = most;
  }

  /** Tells whether requests are kept at all. */
  boolean isOn() {
    return most > 0;
  }

  /**
   * Adds a line, and drops the oldest ones that have no room any more.
   *
   * @param wall time of the end, in milliseconds since 1970
   */
  void add(Client client, Response response, long wall) {
    StringBuilder line = new StringBuilder(256);
    line.append(first + lines.size()).append(' ').append(client.address()).append(" - - ");
    DATE.formatTo(Instant.ofEpochMilli(wall), line);
    RequestHead request = client.request();
    line.append(" \"");
    quote(line, request.bytes(), request.methodStart(), request.methodEnd());
    line.append(client.isSecure() ? " https://" : " http://");
    quote(line, request.bytes(), request.hostStart(), request.hostEnd());
    quote(line, request.bytes(), request.pathStart(), request.pathEnd());
    line.append(' ').append(client.protocol()).append("\" ");
    line.append(response.status()).append(' ').append(response.content());
    field(line, request, Field.REFERER);
    field(line, request, Field.USER_AGENT);
    line.append(" \"").append(response.cache().isEmpty() ? "-" : response.cache()).append("\" ");
    line.append(response.ending().word).append(' ').append(response.millis()).append('\n');
    keep(line.toString());
  }

  private static void field(StringBuilder line, RequestHead request, Field field) {
    int at = request.fields().first(field);
    line.append(" \"");
    if (at < 0) {
      line.append('-');
    } else {
      byte[] array = request.fields().bytes();
      quote(line, array, request.fields().valueStart(at), request.fields().valueEnd(at));
    }
    line.append('"');
  }

  private static void quote(StringBuilder line, byte[] array, int from, int to) {
    int stop = Math.min(to, from + MOST_TEXT);
    for (int i = from; i < stop; i++) {
      int octet = array[i] & 0xff;
      if (octet < ' ' || octet > '~' || octet == '"' || octet == '\\') {
        line.append(String.format(Locale.ROOT, "\\x%02X", octet));
      } else {
        line.append((char) octet);
      }
    }
  }

  private void keep(String line) {
    lines.addLast(line);
    bytes += line.length() + OVERHEAD;
    while (bytes > most && !lines.isEmpty()) {
      bytes -= lines.removeFirst().length() + OVERHEAD;
      first++;
    }
  }

  /**
   * Returns the lines from a number on, as many as one answer has room for.
   *
   * @param from the number of the first line that is wanted; older ones are kept no longer if the
   *     answer begins with a higher one
   */
  String from(long from) {
    StringBuilder answer = new StringBuilder();
    long number = first;
    for (Iterator<String> each = lines.iterator(); each.hasNext(); number++) {
      String line = each.next();
      if (number >= from) {
        if (answer.length() + line.length() > MOST_ANSWER) {
          break;
        }
        answer.append(line);
      }
    }
    return answer.toString();
  }
}
