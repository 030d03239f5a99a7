// SPDX-License-Identifier: Apache-2.0
package org.netserv.sip;

import java.nio.ByteBuffer;

/**
 * The line ends of a message's head, found in one pass of eight bytes a step. A line with its
 * continuation lines is one line here.
 *
 * <pre>
 *   NOTIFY sip:example.com SIP/2.0 | CRLF
 *   To: CRLF
 *    &lt;sip:example.com&gt; | CRLF                the CRLF before a blank is no line end
 *   l: 0 | CRLF CRLF                           the empty line ends the search
 * </pre>
 *
 * Only plain heads are taken: each CR has its LF and each LF its CR, and there is an empty line.
 */
final class LineEnds {
  private static final int CRLF_CRLF = 0x0d0a0d0a;
  private static final long FIRST = 1L << 63;

  private final int[] ends;
  private int count;
  private boolean plain; // the empty line was found

  /**
   * Makes an index.
   *
   * @param most lines that a head may have
   */
  LineEnds(int most) {
    ends = new int[most];
  }

  /** Returns the number of lines, the empty one left out. */
  int count() {
    return count;
  }

  /** Returns the index of the CR that ends line {@code i}. */
  int end(int i) {
    return ends[i];
  }

  /** Finds them in {@code [start, end)}; false if the head is not plain or has too many lines. */
  boolean find(ByteBuffer buffer, int start, int end) {
    count = 0;
    plain = false;
    long due = 0; // marks the first byte of a word that has a CR right before it
    for (int i = start; i < end && end - start >= Long.BYTES; i += Long.BYTES) {
      int at = Math.min(i, end - Long.BYTES);
      long word = ByteWords.at(buffer, at);
      if (!ByteWords.hasControl(word) && due == 0) {
        continue;
      }
      long returns = ByteWords.zeros(word ^ ByteWords.RETURNS);
      long feeds = ByteWords.zeros(word ^ ByteWords.FEEDS);
      due = at == i ? due : feeds & FIRST; // the last word overlaps the one before it
      if (feeds != ((returns >>> 8) | due)) {
        return false;
      }
      due = returns << 56;
      returns &= -1L >>> (8 * (i - at));
      if (returns != 0 && !enter(buffer, at + ByteWords.first(returns), end)) {
        return plain;
      }
      long others = returns & ~(FIRST >>> Long.numberOfLeadingZeros(returns));
      if (others != 0 && !enterAll(buffer, at, others, end)) {
        return plain;
      }
    }
    return false;
  }

  /** Enters all CRs that are marked in a word; few words have more than one. */
  private boolean enterAll(ByteBuffer buffer, int at, long returns, int end) {
    for (long rest = returns; rest != 0; rest ^= Long.highestOneBit(rest)) {
      if (!enter(buffer, at + ByteWords.first(rest), end)) {
        return false;
      }
    }
    return true;
  }

  /** Enters a CR if it ends a line; false when the search is over. */
  private boolean enter(ByteBuffer buffer, int stop, int end) {
    if (stop > end - Integer.BYTES || count == ends.length) {
      return false;
    }
    ends[count] = stop;
    byte next = buffer.get(stop + 2);
    if (next > ' ') {
      count++;
      return true;
    }
    if (next == '\r') {
      count++;
      plain = ByteWords.half(buffer, stop) == CRLF_CRLF;
      return false;
    }
    return count > 0 && (next == ' ' || next == '\t'); // a start line has no continuation
  }
}
