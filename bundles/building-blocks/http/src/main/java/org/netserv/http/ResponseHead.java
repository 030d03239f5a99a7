// SPDX-License-Identifier: Apache-2.0
package org.netserv.http;

/**
 * A view of a response's head (RFC 9112, 4 and 5).
 *
 * <pre>
 *   HTTP-version SP status-code SP [ reason-phrase ] CRLF
 *   *( field-line CRLF )
 *   CRLF                                              end() is behind this one
 * </pre>
 *
 * {@link #reset} checks the whole head once; the accessors are valid after OK. Of a head with a
 * fault nothing is used: the gateway answers 502 (6.3).
 */
public final class ResponseHead extends Head {
  private int status;

  public ResponseHead(HeadLimits limits) {
    super(limits);
  }

  @Override
  HeadError read(int start, int last) {
    int line = start;
    while (line < last && Octets.isField(bytes[line])) {
      line++;
    }
    HeadError error = statusLine(start, line, last);
    if (error == HeadError.OK) {
      error = readFields(line + 2, last);
    }
    boolean coded = error == HeadError.OK && framing.isChunked();
    return coded && (status < 200 || status == 204) ? HeadError.TRANSFER_ENCODING_STATUS : error;
  }

  private HeadError statusLine(int start, int line, int last) {
    if (line < last && bytes[line] != '\r' && bytes[line] != '\n') {
      return HeadError.START_LINE;
    }
    HeadError ending = StartLines.ending(bytes, line, last);
    if (ending != HeadError.OK) {
      return ending;
    }
    int space = StartLines.space(bytes, start, line);
    minor = StartLines.minor(bytes, start, space);
    if (minor < 0) {
      return minor == StartLines.OTHER_MAJOR ? HeadError.VERSION : HeadError.START_LINE;
    }
    int behind = space + 4;
    if (behind > line || (behind < line && bytes[behind] != ' ')) {
      return HeadError.START_LINE;
    }
    status = (int) Octets.decimal(bytes, space + 1, behind, 1000);
    return status >= 100 && status <= 599 ? HeadError.OK : HeadError.STATUS;
  }

  /** The status code, 100 to 599. */
  public int status() {
    return status;
  }

  /** Tells whether another response to the same request follows (RFC 9110, 15.2). */
  public boolean isInterim() {
    return status < 200;
  }

  /** The value of Content-Length, or -1. */
  public long contentLength() {
    return framing.contentLength();
  }

  public boolean isChunked() {
    return framing.isChunked();
  }
}
