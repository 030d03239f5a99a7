// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Index of one SIP message in a datagram: its start line and where each header's name and value
 * stand. Made once with a fixed number of header places; {@link #reset} allocates nothing.
 *
 * <pre>
 *   NOTIFY sip:example.com SIP/2.0 CRLF      start line
 *   v : SIP/2.0/UDP 10.0.0.1 CRLF            header: name [nameStart, nameEnd), then HCOLON
 *     ;branch=z9hG4bKx CRLF                  folded: the value runs on, [valueStart, valueEnd)
 *   CRLF                                     without it the message is not complete
 *   body                                     [bodyStart, bodyEnd) by Content-Length, or to the end
 * </pre>
 *
 * A bare LF is taken for a line end ({@link #hasBareLf} tells), a bare CR is an error. A value has
 * no white space around it; the folds inside it are as they came.
 */
public final class SipScanner {
  /** Header places of a scanner made without a number. */
  public static final int HEADERS_DEFAULT = 96;

  private static final byte[] VERSION = "sip/2.0".getBytes(StandardCharsets.US_ASCII);
  private static final int CONTENT_LENGTH_DIGITS = 9;

  // answers of line() when there is no line
  private static final int BARE_CR = -1;
  private static final int CUT = -2;

  private final SipHeader[] codes;
  private final int[] nameStart;
  private final int[] nameEnd;
  private final int[] valueStart;
  private final int[] valueEnd;
  private final int[] following; // index of the next header of the same code, -1 = none
  private final int[] firstOf = new int[SipHeader.COUNT];
  private final int[] lastOf = new int[SipHeader.COUNT];
  private final int[] countOf = new int[SipHeader.COUNT];

  private ByteBuffer buffer;
  private int end;
  private int headers;
  private boolean request;
  private boolean bareLf;
  private SipMethod method;
  private int status;
  private int methodEnd;
  private int uriStart;
  private int uriEnd;
  private int bodyStart;
  private int bodyEnd;
  private int nextLine; // where the line after the one just found begins

  public SipScanner() {
    this(HEADERS_DEFAULT);
  }

  /**
   * @param maxHeaders header lines that a message may have, at least 1
   */
  public SipScanner(int maxHeaders) {
    codes = new SipHeader[maxHeaders];
    nameStart = new int[maxHeaders];
    nameEnd = new int[maxHeaders];
    valueStart = new int[maxHeaders];
    valueEnd = new int[maxHeaders];
    following = new int[maxHeaders];
  }

  /**
   * Scans {@code [start, end)}. On any answer but OK the index holds what was read up to the fault:
   * good for a log line, not to act on.
   */
  public SipError reset(ByteBuffer bytes, int start, int stop) {
    clear();
    if (start < 0 || stop < start || stop > bytes.limit()) {
      return SipError.RANGE;
    }
    if (start == stop) {
      return SipError.EMPTY;
    }
    buffer = bytes;
    end = stop;
    SipError error = startLine(start);
    if (error == SipError.OK) {
      error = headerLines();
    }
    return error == SipError.OK ? body() : error;
  }

  private void clear() {
    Arrays.fill(firstOf, -1);
    Arrays.fill(countOf, 0);
    headers = 0;
    request = false;
    bareLf = false;
    method = SipMethod.OTHER;
    status = 0;
    methodEnd = 0;
    uriStart = 0;
    uriEnd = 0;
    bodyStart = 0;
    bodyEnd = 0;
  }

  // ---- start line

  private SipError startLine(int start) {
    int lineEnd = line(start);
    if (lineEnd < 0) {
      return lineEnd == BARE_CR ? SipError.BARE_CR : SipError.NO_EMPTY_LINE;
    }
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
    int i = Ascii.skip(buffer, uriStart, lineEnd, Ascii.URI);
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

  // ---- headers

  private SipError headerLines() {
    while (nextLine < end) {
      int at = nextLine;
      byte first = buffer.get(at);
      if (first == '\r' || first == '\n') {
        int stop = line(at);
        bodyStart = nextLine;
        return stop >= 0
            ? SipError.OK
            : stop == BARE_CR ? SipError.BARE_CR : SipError.NO_EMPTY_LINE;
      }
      SipError error = readHeader(at);
      if (error != SipError.OK) {
        return error;
      }
    }
    return SipError.NO_EMPTY_LINE;
  }

  /**
   * header = field-name *( SP / HTAB ) ":" SWS field-value, and its continuation lines. A name that
   * is known, right before the colon, need not be looked at byte by byte.
   */
  private SipError readHeader(int at) {
    int colon = Ascii.indexOf(buffer, at, Math.min(at + SipHeader.LONGEST, end), ':');
    SipHeader code = SipHeader.of(buffer, at, colon);
    int stop = colon;
    if (code == SipHeader.OTHER) {
      stop = Ascii.skipToken(buffer, at, end);
      colon = stop;
      while (colon < end && (buffer.get(colon) == ' ' || buffer.get(colon) == '\t')) {
        colon++;
      }
      code = SipHeader.of(buffer, at, stop);
    }
    SipError error = nameFault(at, stop, colon);
    if (error != SipError.OK) {
      return error;
    }
    int lineEnd = line(colon + 1);
    while (lineEnd >= 0 && nextLine < end && isFold(buffer.get(nextLine))) {
      lineEnd = line(nextLine);
    }
    if (lineEnd < 0) {
      return lineEnd == BARE_CR ? SipError.BARE_CR : SipError.NO_EMPTY_LINE;
    }
    add(code, at, stop, colon + 1, lineEnd);
    return SipError.OK;
  }

  private SipError nameFault(int at, int stop, int colon) {
    if (colon == end) {
      return SipError.NO_EMPTY_LINE;
    }
    if (stop == at) {
      return SipError.HEADER_NAME;
    }
    if (buffer.get(colon) != ':') {
      return SipError.HEADER_COLON;
    }
    return headers == codes.length ? SipError.TOO_MANY_HEADERS : SipError.OK;
  }

  private static boolean isFold(byte c) {
    return c == ' ' || c == '\t';
  }

  /**
   * Index of the line's CR or LF; {@link #nextLine} moves behind it. Negative when there is none.
   */
  private int line(int at) {
    int stop = Ascii.lineEnd(buffer, at, end);
    if (stop == end) {
      return CUT;
    }
    if (buffer.get(stop) == '\n') {
      bareLf = true;
      nextLine = stop + 1;
      return stop;
    }
    if (stop + 1 == end) {
      return CUT;
    }
    nextLine = stop + 2;
    return buffer.get(stop + 1) == '\n' ? stop : BARE_CR;
  }

  private void add(SipHeader code, int name, int nameStop, int value, int valueStop) {
    int i = headers++;
    int kind = code.index();
    codes[i] = code;
    nameStart[i] = name;
    nameEnd[i] = nameStop;
    valueStart[i] = Ascii.skipSpace(buffer, value, valueStop);
    valueEnd[i] = Ascii.trimEnd(buffer, valueStart[i], valueStop);
    following[i] = -1;
    if (countOf[kind]++ == 0) {
      firstOf[kind] = i;
    } else {
      following[lastOf[kind]] = i;
    }
    lastOf[kind] = i;
  }

  /** RFC 3261, 18.3: bytes behind Content-Length are padding; fewer than it says is an error. */
  private SipError body() {
    bodyEnd = end;
    int at = firstOf[SipHeader.CONTENT_LENGTH.index()];
    if (at < 0) {
      return SipError.OK;
    }
    if (countOf[SipHeader.CONTENT_LENGTH.index()] > 1) {
      return SipError.CONTENT_LENGTH_REPEATED;
    }
    long length = Ascii.number(buffer, valueStart[at], valueEnd[at], CONTENT_LENGTH_DIGITS);
    if (length < 0) {
      return SipError.CONTENT_LENGTH;
    }
    if (length > end - bodyStart) {
      return SipError.CONTENT_LENGTH_BEYOND;
    }
    bodyEnd = bodyStart + (int) length;
    return SipError.OK;
  }

  // ---- what was found

  public boolean isRequest() {
    return request;
  }

  /** True when a line ended in LF without CR. */
  public boolean hasBareLf() {
    return bareLf;
  }

  /** Of a request; OTHER for a response and for methods without a constant. */
  public SipMethod method() {
    return method;
  }

  /** End of the method's name, which begins where the message begins. */
  public int methodEnd() {
    return methodEnd;
  }

  public int uriStart() {
    return uriStart;
  }

  public int uriEnd() {
    return uriEnd;
  }

  /** 100 to 699 of a response, 0 of a request. */
  public int status() {
    return status;
  }

  /** Number of header lines, in message order. */
  public int headers() {
    return headers;
  }

  public SipHeader header(int index) {
    return codes[index];
  }

  public int nameStart(int index) {
    return nameStart[index];
  }

  public int nameEnd(int index) {
    return nameEnd[index];
  }

  public int valueStart(int index) {
    return valueStart[index];
  }

  public int valueEnd(int index) {
    return valueEnd[index];
  }

  /** Index of the first header of this name, or -1. */
  public int first(SipHeader header) {
    return firstOf[header.index()];
  }

  /** Index of the next header of the same name as the one at {@code index}, or -1. */
  public int next(int index) {
    return following[index];
  }

  public int count(SipHeader header) {
    return countOf[header.index()];
  }

  public int bodyStart() {
    return bodyStart;
  }

  public int bodyEnd() {
    return bodyEnd;
  }
}
