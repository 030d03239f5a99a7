// SPDX-License-Identifier: Apache-2.0
package org.netserv.http;

/**
 * A view of a request's head (RFC 9112, 3 and 5).
 *
 * <pre>
 *   method SP request-target SP HTTP-version CRLF
 *   *( field-line CRLF )
 *   CRLF                                              end() is behind this one
 * </pre>
 *
 * {@link #reset} checks the whole head once; the accessors are valid after OK. Forms that are used
 * for request smuggling are faults with a name of their own. One empty line in front of the head is
 * skipped (2.2).
 */
public final class RequestHead extends Head {
  private final Target target = new Target();
  private HttpMethod method = HttpMethod.OTHER;
  private int methodStart;
  private int methodEnd;
  private int targetStart;
  private int targetEnd;
  private int hostStart;
  private int hostEnd;

  public RequestHead(HeadLimits limits) {
    super(limits);
  }

  @Override
  HeadError read(int start, int last) {
    int first = start;
    if (last - start >= 2 && bytes[start] == '\r' && bytes[start + 1] == '\n') {
      first += 2;
    }
    int line = first;
    while (line < last && bytes[line] != '\r' && bytes[line] != '\n') {
      line++;
    }
    HeadError error = startLine(first, line, last);
    if (error == HeadError.OK) {
      error = readFields(line + 2, last);
    }
    if (error == HeadError.OK && framing.isNamedByConnection(fields)) {
      error = HeadError.CONNECTION_NAMES_FRAMING;
    }
    return error == HeadError.OK ? host() : error;
  }

  private HeadError startLine(int first, int line, int last) {
    HeadError ending = StartLines.ending(bytes, line, last);
    if (ending == HeadError.MORE) {
      return line - first > limits.target() + 64L ? HeadError.TARGET_TOO_LONG : HeadError.MORE;
    }
    if (ending != HeadError.OK) {
      return ending;
    }
    methodStart = first;
    methodEnd = StartLines.space(bytes, first, line);
    targetStart = methodEnd + 1;
    targetEnd = StartLines.space(bytes, Math.min(targetStart, line), line);
    if (targetEnd >= line || targetEnd == targetStart) {
      return HeadError.START_LINE;
    }
    if (!Octets.areToken(bytes, methodStart, methodEnd)) {
      return HeadError.METHOD;
    }
    if (targetEnd - targetStart > limits.target()) {
      return HeadError.TARGET_TOO_LONG;
    }
    minor = StartLines.minor(bytes, targetEnd + 1, line);
    if (minor < 0) {
      return minor == StartLines.OTHER_MAJOR ? HeadError.VERSION : HeadError.START_LINE;
    }
    return target();
  }

  private HeadError target() {
    for (int i = targetStart; i < targetEnd; i++) {
      if (!Octets.isTarget(bytes[i])) {
        return HeadError.TARGET_OCTET;
      }
    }
    method = HttpMethod.of(bytes, methodStart, methodEnd);
    return target.reset(bytes, targetStart, targetEnd, method);
  }

  /** Checks Host (RFC 9112, 3.2); the authority of an absolute target replaces it (3.2.2). */
  private HeadError host() {
    int line = fields.first(Field.HOST);
    hostStart = target.authorityStart();
    hostEnd = target.authorityEnd();
    if (line < 0) {
      return minor == 0 ? HeadError.OK : HeadError.HOST_MISSING;
    }
    if (fields.next(Field.HOST, line + 1) >= 0) {
      return HeadError.HOST_REPEATED;
    }
    if (!Target.isAuthority(bytes, fields.valueStart(line), fields.valueEnd(line))) {
      return HeadError.HOST;
    }
    if (target.form() == Target.Form.ORIGIN || target.form() == Target.Form.ASTERISK) {
      hostStart = fields.valueStart(line);
      hostEnd = fields.valueEnd(line);
    }
    return HeadError.OK;
  }

  public HttpMethod method() {
    return method;
  }

  /** Index of the method's first byte. */
  public int methodStart() {
    return methodStart;
  }

  public int methodEnd() {
    return methodEnd;
  }

  /** Index of the request target's first byte. */
  public int targetStart() {
    return targetStart;
  }

  public int targetEnd() {
    return targetEnd;
  }

  /**
   * Index of the host that the request is for, with its port: the authority of an absolute target,
   * else Host. The range is empty in a request of HTTP/1.0 that has neither.
   */
  public int hostStart() {
    return hostStart;
  }

  public int hostEnd() {
    return hostEnd;
  }

  /** Index of path and query. The range is empty or begins with ? where the path is empty. */
  public int pathStart() {
    return target.pathStart();
  }

  public int pathEnd() {
    return target.end();
  }

  /**
   * Tells whether the target is absolute. Its scheme then has to be that of the connection; a
   * module answers 421 otherwise (RFC 9110, 7.4).
   */
  public boolean isAbsolute() {
    return target.form() == Target.Form.ABSOLUTE;
  }

  /** Tells whether the target is absolute and has the scheme https. */
  public boolean isSecure() {
    return target.isSecure();
  }

  /** The content's length in bytes, 0 if there is none, -1 if it is chunked. */
  public long contentLength() {
    return framing.isChunked() ? -1 : Math.max(0, framing.contentLength());
  }

  public boolean isChunked() {
    return framing.isChunked();
  }
}
