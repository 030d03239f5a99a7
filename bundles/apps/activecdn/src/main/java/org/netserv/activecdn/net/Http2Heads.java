// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.net;

import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import org.netserv.http.HeadWriter;
import org.netserv.http.Octets;

/**
 * Turns heads of HTTP/2 into heads of HTTP/1.1 and back (RFC 9113, section 8). A head in which a
 * name or a value could end its line is malformed, so none smuggles a second request to the origin.
 */
final class Http2Heads {
  private static final String CHUNKED = "transfer-encoding: chunked\r\n";
  private static final int STATUS = "HTTP/1.1 ".length(); // place of the code in a head
  private static final int STATUS_DIGITS = 3;
  private static final int LINE = 2; // octets that end one
  private static final String TOKEN = "!#$%&'*+-.^_`|~";

  private Http2Heads() {}

  /**
   * Makes the head of a request.
   *
   * @param hasContent whether the stream goes on after the head
   * @return null if the request is malformed
   */
  static byte[] request(Http2Headers headers, boolean hasContent) {
    CharSequence method = headers.method();
    CharSequence authority = headers.authority();
    CharSequence host = headers.get("host");
    if (method == null || !isToken(method) || !isLine(headers, hasContent)) {
      return null;
    }
    if (authority != null && host != null && !authority.toString().equalsIgnoreCase("" + host)) {
      return null;
    }
    CharSequence named = authority == null ? host : authority;
    String target = target(headers, named);
    if (target == null || (named != null && !isVisible(named))) {
      return null;
    }
    StringBuilder head = new StringBuilder(256);
    head.append(method).append(' ').append(target).append(" HTTP/1.1\r\n");
    if (named != null) {
      head.append("host: ").append(named).append("\r\n");
    }
    StringBuilder cookies = new StringBuilder();
    for (Map.Entry<CharSequence, CharSequence> field : headers) {
      String name = field.getKey().toString();
      if (name.equals("cookie")) { // pieces of one field (section 8.2.3)
        cookies.append(cookies.isEmpty() ? "cookie: " : "; ").append(field.getValue());
      } else if (!name.startsWith(":") && !name.equals("host")) {
        head.append(name).append(": ").append(field.getValue()).append("\r\n");
      }
    }
    if (!cookies.isEmpty()) {
      head.append(cookies).append("\r\n");
    }
    if (hasContent && !headers.contains("content-length")) {
      head.append(CHUNKED);
    }
    return head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
  }

  /** The target: an absolute URI, by which the edge checks the scheme. */
  private static String target(Http2Headers headers, CharSequence authority) {
    CharSequence path = headers.path();
    CharSequence scheme = headers.scheme();
    if ("CONNECT".contentEquals(headers.method())) {
      return path == null && scheme == null && authority != null ? authority.toString() : null;
    }
    if (path == null || scheme == null || !isVisible(path) || !isToken(scheme)) {
      return null;
    }
    if (authority == null || "*".contentEquals(path)) {
      return path.toString();
    }
    return path.charAt(0) == '/' ? scheme + "://" + authority + path : null;
  }

  /** Tells whether each field fits a line, and belongs into HTTP/2. */
  private static boolean isLine(Http2Headers headers, boolean hasContent) {
    for (Map.Entry<CharSequence, CharSequence> field : headers) {
      CharSequence value = field.getValue();
      String name = field.getKey().toString();
      boolean pseudo = name.startsWith(":");
      boolean belongs =
          switch (name) {
            case "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade" ->
                false;
            case "te" -> "trailers".contentEquals(value);
            case "content-length" -> hasContent || "0".contentEquals(value);
            default -> pseudo || (isToken(name) && name.equals(name.toLowerCase(Locale.ROOT)));
          };
      if (!belongs || !isValue(value)) {
        return false;
      }
    }
    return headers.getAll("host").size() < 2;
  }

  private static boolean isToken(CharSequence text) {
    boolean all = text.length() > 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean alphanumeric = c < 128 && Character.isLetterOrDigit(c);
      all &= alphanumeric || TOKEN.indexOf(c) >= 0;
    }
    return all;
  }

  private static boolean isVisible(CharSequence text) {
    boolean all = text.length() > 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      all &= c > ' ' && c < 256 && c != 127;
    }
    return all;
  }

  private static boolean isValue(CharSequence text) {
    int length = text.length();
    boolean all = length == 0 || (!isBlank(text.charAt(0)) && !isBlank(text.charAt(length - 1)));
    for (int i = 0; i < length; i++) {
      char c = text.charAt(i);
      all &= c == '\t' || (c >= ' ' && c < 256 && c != 127);
    }
    return all;
  }

  private static boolean isBlank(char c) {
    return c == ' ' || c == '\t';
  }

  /**
   * Makes the head of a response.
   *
   * @param head whole, of HTTP/1.1
   */
  static Http2Headers response(HeadWriter head) {
    byte[] bytes = Arrays.copyOf(head.bytes(), head.length()); // that the fields share
    Http2Headers headers = new DefaultHttp2Headers(false);
    headers.status(new AsciiString(bytes, STATUS, STATUS_DIGITS, false));
    int at = end(bytes, 0) + LINE;
    int end = end(bytes, at);
    while (end > at) { // up to the empty line
      int colon = at;
      while (bytes[colon] != ':') {
        bytes[colon] = Octets.lower(bytes[colon]);
        colon++;
      }
      int from = Octets.skipBlanks(bytes, colon + 1, end);
      int to = Octets.dropBlanks(bytes, from, end);
      headers.add(text(bytes, at, colon), text(bytes, from, to));
      at = end + LINE;
      end = end(bytes, at);
    }
    return headers;
  }

  private static AsciiString text(byte[] bytes, int from, int to) {
    return new AsciiString(bytes, from, to - from, false);
  }

  /** Returns the place of the CR that ends a line. */
  private static int end(byte[] bytes, int from) {
    int at = from;
    while (bytes[at] != '\r') {
      at++;
    }
    return at;
  }
}
