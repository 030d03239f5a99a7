// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The first line of a message.
 *
 * <pre>
 *   NOTIFY sip:example.com SIP/2.0          SIP/2.0 180 Ringing
 *         |methodEnd      |uriEnd                   status
 *          |uriStart
 * </pre>
 *
 * {@link #ordinary} takes nearly every request line. {@link #read} takes every other line, and it
 * alone names faults.
 */
final class StartLine {
  private static final byte[] VERSION = "sip/2.0".getBytes(StandardCharsets.US_ASCII);
  private static final long BLANK_VERSION =
      Ascii.word(" sip/2.0".getBytes(StandardCharsets.US_ASCII));

  private ByteBuffer buffer;
  boolean request;
  SipMethod method;
  int status;
  int methodEnd;
  int uriStart;
  int uriEnd;

  void clear(ByteBuffer bytes) {
    buffer = bytes;
    request = false;
    method = SipMethod.OTHER;
    status = 0;
    methodEnd = 0;
    uriStart = 0;
    uriEnd = 0;
  }

  /**
   * Reads the line if it is a request line of a known method of at most eight letters; false when
   * it is anything else.
   */
  boolean ordinary(int start, int lineEnd) {
    int stop = lineEnd - Long.BYTES;
    if (stop <= start || ByteWords.lower(ByteWords.at(buffer, stop)) != BLANK_VERSION) {
      return false;
    }
    long word = ByteWords.at(buffer, start);
    int space = ByteWords.first(ByteWords.zeros(word ^ ByteWords.BLANKS));
    int uri = start + space + 1;
    SipMethod found = SipMethod.of(ByteWords.keep(word, space), space);
    if (found == SipMethod.OTHER
        || uri >= stop
        || buffer.get(start + space) != ' '
        || Ascii.skipUri(buffer, uri, stop) != stop) {
      return false;
    }
    request = true;
    method = found;
    methodEnd = uri - 1;
    uriStart = uri;
    uriEnd = stop;
    return true;
  }

  /** Reads the line that ends at {@code lineEnd}. */
  SipError read(int start, int lineEnd) {
    int space = Ascii.skipToken(buffer, start, lineEnd);
    if (space < lineEnd && buffer.get(space) == '/') { // no method has a slash, "SIP/2.0" has one
      return statusLine(start, lineEnd);
    }
    if (space == start || space == lineEnd || buffer.get(space) != ' ') {
      return SipError.METHOD;
    }
    return requestLine(start, space, lineEnd);
  }

  /** Request-Line = Method SP Request-URI SP SIP-Version, single spaces. */
  private SipError requestLine(int start, int methodStop, int lineEnd) {
    request = true;
    methodEnd = methodStop;
    method = SipMethod.of(buffer, start, methodStop);
    uriStart = methodStop + 1;
    int i = Ascii.skipUri(buffer, uriStart, lineEnd);
    uriEnd = i;
    if (i < lineEnd && buffer.get(i) != ' ') {
      return SipError.REQUEST_URI;
    }
    if (i == lineEnd || i == uriStart) {
      return SipError.START_LINE;
    }
    return Ascii.equalIgnoreCase(buffer, i + 1, lineEnd, VERSION)
        ? SipError.OK
        : startsWithVersionName(i + 1, lineEnd) ? SipError.VERSION : SipError.START_LINE;
  }

  private boolean startsWithVersionName(int at, int lineEnd) {
    return lineEnd - at == VERSION.length && buffer.get(at + 3) == '/';
  }

  /** Status-Line = SIP-Version SP Status-Code SP Reason-Phrase. */
  private SipError statusLine(int start, int lineEnd) {
    int space = start + VERSION.length;
    if (space >= lineEnd || !Ascii.equalIgnoreCase(buffer, start, space, VERSION)) {
      return SipError.VERSION;
    }
    int codeEnd = space + 4;
    if (buffer.get(space) != ' ') {
      return SipError.START_LINE;
    }
    if (codeEnd >= lineEnd || buffer.get(codeEnd) != ' ') {
      return SipError.STATUS_CODE;
    }
    status = (int) Ascii.number(buffer, space + 1, codeEnd, 3);
    return status >= 100 && status < 700 ? SipError.OK : SipError.STATUS_CODE;
  }
}
