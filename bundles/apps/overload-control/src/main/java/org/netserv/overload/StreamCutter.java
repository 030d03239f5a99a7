// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload;

import java.nio.ByteBuffer;
import org.netserv.sip.SipError;

/**
 * Cuts the bytes of one direction of a TCP stream into SIP messages (RFC 3261, 18.3). It keeps only
 * the bytes of a message that is not whole yet, at most {@link #MOST}.
 *
 * <pre>
 *   CRLF CRLF   line ends between messages, handed over as they come (pings, RFC 5626, 3.5.1)
 *   head        until its empty line is there, nothing is scanned
 *   body        by Content-Length, which a message of a stream must have
 * </pre>
 *
 * Each byte is looked at a bounded number of times, whatever the pieces are that it comes in. After
 * a fault nobody knows where the next message begins, and the stream has to end. Belongs to one
 * thread.
 */
final class StreamCutter {
  /** Longest message in bytes. */
  static final int MOST = 1 << 16;

  private static final byte[] NOTHING = {};

  /** Bytes of LF CR LF that may be here while the last one is missing. */
  private static final int SPLIT = 2;

  /** A receiver of what was cut. All bytes are handed over, in their order. */
  interface Taker {
    /** Takes line ends between messages. */
    void between(ByteBuffer bytes, int start, int end);

    /** Takes a message, to which the {@link Message} of {@link #cut} points. */
    void message(ByteBuffer bytes, int start, int end);
  }

  private byte[] kept = NOTHING; // the beginning of a message
  private int length; // of that message, 0 = not known yet
  private int searched; // bytes of it at which no end of its head begins

  /** Puts the bytes that wait in front of the bytes to be read. There is room for as many again. */
  void restore(ByteBuffer bytes) {
    bytes.clear();
    bytes.put(kept);
  }

  /**
   * Cuts the bytes from 0 to the buffer's position, which begin with those of {@link #restore}.
   *
   * @return OK, or the fault for which the stream has to end
   */
  SipError cut(ByteBuffer bytes, Message message, long stream, Taker taker) {
    int end = bytes.position();
    int at = 0;
    while (at < end) {
      int behind = lineEnds(bytes, at, end);
      if (behind > at) {
        taker.between(bytes, at, behind);
        at = behind;
        continue;
      }
      SipError error = next(bytes, at, end, message, stream);
      if (error == SipError.MORE) {
        break;
      }
      if (error != SipError.OK) {
        return error;
      }
      int stop = message.scanner().bodyEnd();
      taker.message(bytes, at, stop);
      at = stop;
      length = 0;
      searched = 0;
    }
    return keep(bytes, at, end);
  }

  private static int lineEnds(ByteBuffer bytes, int start, int end) {
    int at = start;
    while (at < end && (bytes.get(at) == '\r' || bytes.get(at) == '\n')) {
      at++;
    }
    return at;
  }

  /** Finds the message in front. Returns OK when it is whole, MORE when bytes are missing. */
  private SipError next(ByteBuffer bytes, int at, int end, Message message, long stream) {
    if (bytes.get(at) <= ' ') {
      return SipError.START_LINE; // binary, TLS for instance
    }
    if (length > end - at || (length == 0 && !hasHead(bytes, at, end))) {
      return SipError.MORE;
    }
    SipError error = message.resetStream(bytes, at, end, stream);
    if (error == SipError.MORE && message.scanner().bodyEnd() > end) {
      length = message.scanner().bodyEnd() - at;
      return length > MOST ? SipError.CONTENT_LENGTH_BEYOND : error;
    }
    return error;
  }

  /** Tells whether the end of a head is among the bytes that came since the last search. */
  private boolean hasHead(ByteBuffer bytes, int at, int end) {
    int first = at + searched;
    for (int i = first; i < end - 1; i++) {
      if (bytes.get(i) == '\n' && isEmptyLine(bytes, i + 1, end)) {
        searched = i - at + 1;
        return true;
      }
    }
    searched = Math.max(first, end - SPLIT) - at;
    return false;
  }

  private static boolean isEmptyLine(ByteBuffer bytes, int at, int end) {
    byte first = bytes.get(at);
    return first == '\n' || (first == '\r' && at + 1 < end && bytes.get(at + 1) == '\n');
  }

  private SipError keep(ByteBuffer bytes, int at, int end) {
    if (end - at > MOST) {
      return SipError.NO_EMPTY_LINE;
    }
    if (at == end) {
      kept = NOTHING;
      return SipError.OK;
    }
    if (kept.length != end - at || at > 0) {
      kept = new byte[end - at];
      bytes.get(at, kept, 0, kept.length);
    }
    return SipError.OK;
  }

  /** Returns the number of bytes that wait for the rest of their message. */
  int waiting() {
    return kept.length;
  }
}
