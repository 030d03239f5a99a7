// SPDX-License-Identifier: Apache-2.0
package org.netserv.http;

/** Reads a request target (RFC 9112, 3.2) and an authority (RFC 3986, 3.2). */
final class Target {
  private static final String[] SCHEMES = {"http://", "https://"};

  private int authorityStart;
  private int authorityEnd;
  private int pathStart;
  private int end;
  private boolean secure;

  /** The forms of RFC 9112, sections 3.2.1 to 3.2.4. */
  enum Form {
    ORIGIN,
    ABSOLUTE,
    AUTHORITY,
    ASTERISK
  }

  private Form form = Form.ORIGIN;

  /** Reads the target of a method. */
  HeadError reset(byte[] bytes, int start, int stop, HttpMethod method) {
    authorityStart = start;
    authorityEnd = start;
    pathStart = start;
    end = stop;
    secure = false;
    if (method == HttpMethod.CONNECT) {
      form = Form.AUTHORITY;
      authorityEnd = stop;
      pathStart = stop;
      return isAuthority(bytes, start, stop) ? HeadError.OK : HeadError.TARGET;
    }
    if (bytes[start] == '/') {
      form = Form.ORIGIN;
      return HeadError.OK;
    }
    if (bytes[start] == '*' && stop == start + 1) {
      form = Form.ASTERISK;
      return method == HttpMethod.OPTIONS ? HeadError.OK : HeadError.TARGET;
    }
    form = Form.ABSOLUTE;
    return absolute(bytes, start, stop);
  }

  private HeadError absolute(byte[] bytes, int start, int stop) {
    for (String scheme : SCHEMES) {
      int behind = start + scheme.length();
      if (behind < stop && Octets.same(bytes, start, behind, scheme)) {
        secure = scheme.length() == 8;
        authorityStart = behind;
        authorityEnd = behind;
        while (authorityEnd < stop && bytes[authorityEnd] != '/' && bytes[authorityEnd] != '?') {
          authorityEnd++;
        }
        pathStart = authorityEnd;
        return isAuthority(bytes, authorityStart, authorityEnd) ? HeadError.OK : HeadError.HOST;
      }
    }
    return HeadError.TARGET;
  }

  /**
   * Tells whether the range is a host with or without a port. User information is refused, because
   * RFC 9110 section 4.2.4 calls it an error from an untrusted source.
   */
  static boolean isAuthority(byte[] bytes, int start, int stop) {
    int at = start;
    if (at < stop && bytes[at] == '[') {
      at = literal(bytes, at + 1, stop);
    } else {
      while (at < stop && Octets.isHost(bytes[at])) {
        at++;
      }
    }
    if (at <= start) {
      return false;
    }
    return at == stop || (bytes[at] == ':' && isPort(bytes, at + 1, stop));
  }

  private static int literal(byte[] bytes, int start, int stop) {
    int at = start;
    while (at < stop && (Octets.isHost(bytes[at]) || bytes[at] == ':')) {
      at++;
    }
    return at < stop && at > start && bytes[at] == ']' ? at + 1 : -1;
  }

  /** A port may be empty (RFC 3986, 3.2.3). */
  private static boolean isPort(byte[] bytes, int start, int stop) {
    long port = Octets.decimal(bytes, start, stop, 65_536);
    return start == stop || (port >= 0 && port < 65_536);
  }

  Form form() {
    return form;
  }

  int authorityStart() {
    return authorityStart;
  }

  int authorityEnd() {
    return authorityEnd;
  }

  int pathStart() {
    return pathStart;
  }

  int end() {
    return end;
  }

  boolean isSecure() {
    return secure;
  }
}
