// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import org.netserv.http.Field;
import org.netserv.http.FieldSection;
import org.netserv.http.HttpMethod;
import org.netserv.http.ListCursor;
import org.netserv.http.Octets;

/**
 * The byte ranges of a request, resolved against a representation of a known length (RFC 9110,
 * 14.1.2 and 14.2).
 *
 * <pre>
 *   Range: bytes=0-499, 1000-, -500
 * </pre>
 *
 * A Range field that a client has no need for is ignored, and the whole representation is sent: too
 * many ranges, more than two that overlap, or many in disorder. Ranges that overlap, or have less
 * between them than a part's head costs, become one. So an answer is never larger than the
 * representation and the heads of its parts. One thread.
 */
public final class ByteRanges {
  /** Bytes between two ranges that cost less than another part (15.3.7.2). */
  private static final long GAP = 80;

  private static final long MOST = 1L << 62;
  private static final int MOST_OVERLAPS = 2;
  private static final int MOST_IN_DISORDER = 4;

  private final long[] first;
  private final long[] last;
  private int count;
  private boolean several; // the request has more than one range
  private Reason reason = Reason.NONE;

  /** The answers to a request. */
  public enum Verdict {
    /** 200 with the whole representation. */
    WHOLE,
    /** 206 with one range. */
    SINGLE,
    /** 206 with multipart/byteranges. */
    MULTIPART,
    /** 416. */
    UNSATISFIABLE
  }

  /** Reasons to ignore Range. */
  public enum Reason {
    NONE,
    /** The request has no Range. */
    ABSENT,
    /** The method is not GET. */
    METHOD,
    /** The field stands more than once. */
    REPEATED,
    /** The unit is not bytes. */
    UNIT,
    /** A range is none, or its end is in front of its start. */
    SYNTAX,
    /** There are more ranges than the limit. */
    TOO_MANY,
    /** More than two ranges overlap. */
    OVERLAP,
    /** More than four ranges are not in ascending order. */
    DISORDER,
    /** The representation is empty, or its length is not known. */
    LENGTH
  }

  /**
   * Makes a view.
   *
   * @param most the most ranges of a request, 1 to 100
   */
  public ByteRanges(int most) {
    if (most < 1 || most > 100) {
      throw new IllegalArgumentException("most is " + most + ", not 1 to 100");
    }
    first = new long[most];
    last = new long[most];
  }

  /**
   * Resolves the ranges of a request.
   *
   * @param length of the representation, or -1 if it is not known
   */
  public Verdict reset(HttpMethod method, FieldSection request, long length) {
    count = 0;
    several = false;
    reason = read(method, request, length);
    if (reason != Reason.NONE) {
      count = 0;
      return Verdict.WHOLE;
    }
    if (count == 0) {
      return Verdict.UNSATISFIABLE;
    }
    coalesce();
    return count == 1 ? Verdict.SINGLE : Verdict.MULTIPART;
  }

  private Reason read(HttpMethod method, FieldSection request, long length) {
    int line = request.first(Field.RANGE);
    if (line < 0) {
      return Reason.ABSENT;
    }
    if (method != HttpMethod.GET) {
      return Reason.METHOD;
    }
    if (request.next(Field.RANGE, line + 1) >= 0) {
      return Reason.REPEATED;
    }
    int start = request.valueStart(line);
    int stop = request.valueEnd(line);
    int set = start + 6;
    if (set > stop || !Octets.same(request.bytes(), start, set, "bytes=")) {
      return Reason.UNIT;
    }
    if (length <= 0) {
      return Reason.LENGTH;
    }
    Reason fault = set(request.bytes(), set, stop, length);
    if (fault == Reason.NONE) {
      fault = overlaps() > MOST_OVERLAPS ? Reason.OVERLAP : Reason.NONE;
    }
    return fault == Reason.NONE && isInDisorder() ? Reason.DISORDER : fault;
  }

  private Reason set(byte[] bytes, int start, int stop, long length) {
    int specs = 0;
    for (int at = start; at < stop; ) {
      int comma = ListCursor.comma(bytes, at, stop);
      int from = Octets.skipBlanks(bytes, at, comma);
      int to = Octets.dropBlanks(bytes, from, comma);
      if (to > from) {
        if (++specs > first.length) {
          return Reason.TOO_MANY;
        }
        if (!spec(bytes, from, to, length)) {
          return Reason.SYNTAX;
        }
      }
      at = comma + 1;
    }
    several = specs > 1;
    return specs == 0 ? Reason.SYNTAX : Reason.NONE;
  }

  /** Reads a range-spec and adds it if it is satisfiable. Returns false if it is invalid. */
  private boolean spec(byte[] bytes, int start, int end, long length) {
    int dash = start;
    while (dash < end && bytes[dash] != '-') {
      dash++;
    }
    if (dash == end) {
      return false;
    }
    if (dash == start) {
      long suffix = Octets.decimal(bytes, dash + 1, end, MOST);
      if (suffix > 0) {
        add(Math.max(0, length - suffix), length - 1);
      }
      return suffix >= 0;
    }
    long from = Octets.decimal(bytes, start, dash, MOST);
    long to = dash + 1 == end ? MOST : Octets.decimal(bytes, dash + 1, end, MOST);
    if (from < 0 || to < from) {
      return false;
    }
    if (from < length) {
      add(from, Math.min(to, length - 1));
    }
    return true;
  }

  private void add(long from, long to) {
    first[count] = from;
    last[count] = to;
    count++;
  }

  private int overlaps() {
    int overlaps = 0;
    for (int i = 0; i < count; i++) {
      for (int j = 0; j < i; j++) {
        overlaps += first[i] <= last[j] && first[j] <= last[i] ? 1 : 0;
      }
    }
    return overlaps;
  }

  private boolean isInDisorder() {
    for (int i = 1; i < count && count > MOST_IN_DISORDER; i++) {
      if (first[i] < first[i - 1]) {
        return true;
      }
    }
    return false;
  }

  /** Joins ranges into the one that the request names first, until none are near each other. */
  private void coalesce() {
    for (int i = 0; i < count; i++) {
      int j = i + 1;
      while (j < count) {
        if (first[j] <= last[i] + GAP && first[i] <= last[j] + GAP) {
          first[i] = Math.min(first[i], first[j]);
          last[i] = Math.max(last[i], last[j]);
          remove(j);
          j = i + 1;
        } else {
          j++;
        }
      }
    }
  }

  private void remove(int place) {
    count--;
    for (int i = place; i < count; i++) {
      first[i] = first[i + 1];
      last[i] = last[i + 1];
    }
  }

  /** Forgets the ranges. */
  public void clear() {
    count = 0;
  }

  /** The number of ranges to send. */
  public int count() {
    return count;
  }

  /** Offset of a range's first byte. */
  public long first(int place) {
    return first[place];
  }

  /** Offset of a range's last byte, inclusive. */
  public long last(int place) {
    return last[place];
  }

  /** Tells whether the request has more than one range, also where one is left. */
  public boolean isSeveral() {
    return several;
  }

  /** The reason for which Range was ignored, NONE if it was not. */
  public Reason reason() {
    return reason;
  }
}
