// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip;

import java.nio.ByteBuffer;

/**
 * Index of one SIP message: its start line, and the places of each header's name and value. Made
 * once with a fixed number of header places. {@link #reset} allocates nothing.
 *
 * <pre>
 *   NOTIFY sip:example.com SIP/2.0 CRLF      start line
 *   v : SIP/2.0/UDP 10.0.0.1 CRLF            header: name [nameStart, nameEnd), then HCOLON
 *     ;branch=z9hG4bKx CRLF                  folded: the value runs on, [valueStart, valueEnd)
 *   CRLF                                     without it the message is not complete
 *   body                                     [bodyStart, bodyEnd) by Content-Length, or to the end
 * </pre>
 *
 * A bare LF counts as a line end ({@link #hasBareLf} tells), a bare CR is an error. A value has no
 * white space around it. The folds inside it are as they came. The scanner reads no value except
 * that of Content-Length. {@link SipVia} and the other readers read a value when the caller wants
 * it.
 *
 * <p>{@link LineEnds} finds the lines of a plain head in one pass, and a line's first word or two
 * name its header. Any other head is read line by line. The fault of a message is the first one in
 * it, whichever way was taken.
 */
public final class SipScanner {
  /** Header places of a scanner made without a number. */
  public static final int HEADERS_DEFAULT = 96;

  private static final int CONTENT_LENGTH_DIGITS = 9;
  private static final int ROW = 4;
  private static final int CONTENT_LENGTH = SipHeader.CONTENT_LENGTH.index();

  // answers of line() when there is no line
  private static final int BARE_CR = -1;
  private static final int CUT = -2;

  private final LineEnds lines;
  private final StartLine startLine = new StartLine();
  private final byte[] codes;
  private final int[] rows; // of each header: name and its end, value and its end
  private final int[] firstOf = new int[SipHeader.COUNT]; // valid if the code was seen
  private long seen; // one bit per code
  private long repeated;

  private ByteBuffer buffer;
  private int end;
  private int headers;
  private boolean bareLf;
  private int messageStart;
  private int bodyStart;
  private int bodyEnd;
  private int nextLine; // where the line after the one just found begins

  public SipScanner() {
    this(HEADERS_DEFAULT);
  }

  /**
   * Makes an index.
   *
   * @param maxHeaders header lines that a message may have, at least 1
   */
  public SipScanner(int maxHeaders) {
    lines = new LineEnds(maxHeaders + 1);
    codes = new byte[maxHeaders];
    rows = new int[ROW * maxHeaders];
  }

  /**
   * Scans the datagram {@code [start, stop)}. On any result but OK, the index holds the headers up
   * to the fault. They are good for a log line, not to act on.
   */
  public SipError reset(ByteBuffer bytes, int start, int stop) {
    SipError error = message(bytes, start, stop);
    if (error != SipError.OK) {
      return error;
    }
    bodyEnd = end;
    if ((seen >>> CONTENT_LENGTH & 1) == 0) {
      return SipError.OK;
    }
    error = body();
    return error == SipError.OK && bodyEnd > end ? cutBody() : error;
  }

  /**
   * Scans the first message of {@code [start, stop)}, bytes of a stream that end anywhere. Line
   * ends before the message are skipped (RFC 3261, 7.5), and {@link #messageStart} is behind them.
   * The next message begins at {@link #bodyEnd}.
   *
   * @return MORE when the stream ends before the message does. If {@link #bodyEnd} is beyond {@code
   *     stop} then, the message ends there.
   */
  public SipError resetStream(ByteBuffer bytes, int start, int stop) {
    int at = Math.max(0, start);
    while (at < Math.min(stop, bytes.limit()) && isLineEnd(bytes.get(at))) {
      at++;
    }
    SipError error = message(bytes, start < 0 ? start : at, stop);
    messageStart = at;
    if (error == SipError.EMPTY || error == SipError.NO_EMPTY_LINE) {
      return SipError.MORE;
    }
    if (error == SipError.OK) {
      error = (seen >>> CONTENT_LENGTH & 1) == 0 ? SipError.CONTENT_LENGTH_ABSENT : body();
    }
    return error == SipError.OK && bodyEnd > end ? SipError.MORE : error;
  }

  private SipError message(ByteBuffer bytes, int start, int stop) {
    clear(bytes, start);
    if (start < 0 || stop < start || stop > bytes.limit()) {
      return SipError.RANGE;
    }
    if (start == stop) {
      return SipError.EMPTY;
    }
    end = stop;
    return lines.find(bytes, start, stop) ? plainHead(start) : anyHead(start);
  }

  private void clear(ByteBuffer bytes, int start) {
    buffer = bytes;
    startLine.clear(bytes);
    seen = 0;
    repeated = 0;
    headers = 0;
    bareLf = false;
    messageStart = start;
    bodyStart = 0;
    bodyEnd = 0;
  }

  /** Reads a head with known line ends. */
  private SipError plainHead(int start) {
    int lineEnd = lines.end(0);
    if (!startLine.ordinary(start, lineEnd)) {
      SipError error = startLine.read(start, lineEnd);
      if (error != SipError.OK) {
        return error;
      }
    }
    for (int i = 1; i < lines.count(); i++) {
      int at = lineEnd + 2;
      lineEnd = lines.end(i);
      int named = SipHeader.named(buffer, at, end);
      int name = at + (named & 0xff);
      if (named >= 0 && isTrimmed(name + 2, lineEnd)) {
        enter(named >>> 8, at, name, name + 2, lineEnd);
      } else {
        SipError error = anyHeader(at);
        if (error != SipError.OK) {
          return error;
        }
      }
    }
    bodyStart = lineEnd + 4;
    return SipError.OK;
  }

  /**
   * Tells whether exactly one blank precedes a value that is not empty, and no white space follows
   * it.
   */
  private boolean isTrimmed(int start, int stop) {
    return start < stop
        && buffer.get(start - 1) == ' '
        && buffer.get(start) > ' '
        && buffer.get(stop - 1) > ' ';
  }

  /** Reads a head line by line, and names its fault. */
  private SipError anyHead(int start) {
    int lineEnd = line(start);
    SipError error = lineEnd < 0 ? fault(lineEnd) : startLine.read(start, lineEnd);
    while (error == SipError.OK) {
      int at = nextLine;
      if (at == end) {
        return SipError.NO_EMPTY_LINE;
      }
      if (isLineEnd(buffer.get(at))) {
        int stop = line(at);
        bodyStart = nextLine;
        return stop >= 0 ? SipError.OK : fault(stop);
      }
      error = anyHeader(at);
    }
    return error;
  }

  private static SipError fault(int line) {
    return line == BARE_CR ? SipError.BARE_CR : SipError.NO_EMPTY_LINE;
  }

  /** header = field-name *( SP / HTAB ) ":" SWS field-value: a name of any kind, and its faults. */
  private SipError anyHeader(int at) {
    int stop = Ascii.skipToken(buffer, at, end);
    int colon = stop;
    while (colon < end && isBlank(buffer.get(colon))) {
      colon++;
    }
    if (colon == end) {
      return SipError.NO_EMPTY_LINE;
    }
    if (stop == at) {
      return SipError.HEADER_NAME;
    }
    if (buffer.get(colon) != ':') {
      return SipError.HEADER_COLON;
    }
    if (headers == codes.length) {
      return SipError.TOO_MANY_HEADERS;
    }
    return value(SipHeader.of(buffer, at, stop).index(), at, stop, colon + 1);
  }

  /** Finds the end of the value, continuation lines included, and enters the header. */
  private SipError value(int code, int name, int nameStop, int at) {
    int stop = line(at);
    while (stop >= 0 && nextLine < end && isBlank(buffer.get(nextLine))) {
      stop = line(nextLine);
    }
    if (stop < 0) {
      return fault(stop);
    }
    int start = Ascii.skipSpace(buffer, at, stop);
    enter(code, name, nameStop, start, Ascii.trimEnd(buffer, start, stop));
    return SipError.OK;
  }

  private void enter(int code, int name, int nameStop, int start, int stop) {
    int i = headers++;
    long bit = 1L << code;
    codes[i] = (byte) code;
    int row = ROW * i;
    rows[row] = name;
    rows[row + 1] = nameStop;
    rows[row + 2] = start;
    rows[row + 3] = stop;
    if ((seen & bit) == 0) {
      seen |= bit;
      firstOf[code] = i;
    } else {
      repeated |= bit;
    }
  }

  private static boolean isBlank(byte c) {
    return c == ' ' || c == '\t';
  }

  private static boolean isLineEnd(byte c) {
    return c == '\r' || c == '\n';
  }

  /**
   * Returns the index of the line's CR or LF and moves {@link #nextLine} behind it. Negative when
   * there is none.
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

  /** Places the body's end by Content-Length, whether the buffer goes that far or not. */
  private SipError body() {
    if ((repeated >>> CONTENT_LENGTH & 1) != 0) {
      return SipError.CONTENT_LENGTH_REPEATED;
    }
    int at = firstOf[CONTENT_LENGTH];
    long length = Ascii.number(buffer, valueStart(at), valueEnd(at), CONTENT_LENGTH_DIGITS);
    if (length < 0 || length > Integer.MAX_VALUE - bodyStart) {
      return SipError.CONTENT_LENGTH;
    }
    bodyEnd = bodyStart + (int) length;
    return SipError.OK;
  }

  /**
   * Reports a body cut short. Bytes behind Content-Length are padding, but fewer bytes than it says
   * are an error (RFC 3261, 18.3).
   */
  private SipError cutBody() {
    bodyEnd = end;
    return SipError.CONTENT_LENGTH_BEYOND;
  }

  // ---- results

  public boolean isRequest() {
    return startLine.request;
  }

  /** Returns the index of the message's first byte. */
  public int messageStart() {
    return messageStart;
  }

  /** Tells whether a line ended in LF without CR. */
  public boolean hasBareLf() {
    return bareLf;
  }

  /** The method of a request; OTHER for a response and for methods without a constant. */
  public SipMethod method() {
    return startLine.method;
  }

  /** End of the method's name, which begins at {@link #messageStart}. */
  public int methodEnd() {
    return startLine.methodEnd;
  }

  public int uriStart() {
    return startLine.uriStart;
  }

  public int uriEnd() {
    return startLine.uriEnd;
  }

  /** 100 to 699 of a response, 0 of a request. */
  public int status() {
    return startLine.status;
  }

  /** Number of header lines, in message order. */
  public int headers() {
    return headers;
  }

  public SipHeader header(int index) {
    return SipHeader.at(codes[index]);
  }

  public int nameStart(int index) {
    return rows[ROW * index];
  }

  public int nameEnd(int index) {
    return rows[ROW * index + 1];
  }

  public int valueStart(int index) {
    return rows[ROW * index + 2];
  }

  public int valueEnd(int index) {
    return rows[ROW * index + 3];
  }

  /** Index of the first header of this name, or -1. */
  public int first(SipHeader header) {
    return has(header) ? firstOf[header.index()] : -1;
  }

  /** Index of the next header of the same name as the one at {@code index}, or -1. */
  public int next(int index) {
    int code = codes[index];
    if ((repeated >>> code & 1) == 0) {
      return -1;
    }
    int i = index + 1;
    while (i < headers && codes[i] != code) {
      i++;
    }
    return i < headers ? i : -1;
  }

  /** Tells whether there is a header of this name. */
  public boolean has(SipHeader header) {
    return (seen >>> header.index() & 1) != 0;
  }

  /** Tells whether there is one header of this name, and no other. */
  public boolean hasOne(SipHeader header) {
    return ((seen & ~repeated) >>> header.index() & 1) != 0;
  }

  /** Returns the number of headers of this name. */
  public int count(SipHeader header) {
    int count = 0;
    for (int i = first(header); i >= 0; i = next(i)) {
      count++;
    }
    return count;
  }

  public int bodyStart() {
    return bodyStart;
  }

  public int bodyEnd() {
    return bodyEnd;
  }
}
