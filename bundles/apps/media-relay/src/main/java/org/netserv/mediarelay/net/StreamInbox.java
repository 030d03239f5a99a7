// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import java.nio.ByteBuffer;

/**
 * The end of a stream that is no whole message yet. A stream without such an end holds no memory. A
 * message that is longer than {@link #MESSAGE_MOST} is passed over without being stored.
 *
 * <p><b>Threads.</b> The stream thread.
 */
final class StreamInbox {
  /** Bytes of the longest message that is taken. */
  static final int MESSAGE_MOST = 4096;

  /** Bytes before the first message that the taker may change. */
  static final int HEADROOM = 64;

  /** Takes all bytes that a stream has. */
  interface Taker {
    /**
     * Takes one whole message.
     *
     * @return false if the stream has no more messages: it is closed, or has become raw
     */
    boolean message(ByteBuffer bytes, int start, int length);

    /** Hears that a message was too long. */
    void tooLong();
  }

  private static final byte[] NOTHING = {};

  private byte[] kept = NOTHING;
  private int count;
  private int skipped; // bytes of a long message that are still to come

  /** Returns the bytes that are kept. */
  int count() {
    return count;
  }

  /**
   * Puts the kept bytes to the beginning of a work memory, behind {@link #HEADROOM}.
   *
   * @return the index behind it, where the next bytes of the stream belong
   */
  int restore(ByteBuffer work) {
    work.put(HEADROOM, kept, 0, count);
    int end = HEADROOM + count;
    count = 0;
    kept = NOTHING;
    return end;
  }

  /**
   * Gives the messages between {@link #HEADROOM} and {@code end} to the taker, and keeps the rest.
   *
   * @return the index behind the last message, or {@link StreamFrames#BROKEN}. If the taker has
   *     refused to go on, the bytes from that index on are not kept
   */
  int take(ByteBuffer work, int end, Taker taker) {
    int at = Math.min(end, HEADROOM + skipped);
    skipped -= at - HEADROOM;
    while (at < end) {
      int span = StreamFrames.span(work, at, end - at);
      if (span == StreamFrames.BROKEN) {
        return StreamFrames.BROKEN;
      }
      if (span > MESSAGE_MOST) {
        taker.tooLong();
        skipped = Math.max(0, span - (end - at));
        at += span - skipped;
        continue;
      }
      if (span == StreamFrames.UNKNOWN || span > end - at) {
        break;
      }
      int start = at;
      at += span;
      if (!taker.message(work, start, StreamFrames.length(work, start, span))) {
        return at;
      }
    }
    keep(work, at, end - at);
    return at;
  }

  /** Keeps bytes at most of one message, or of a raw stream whose other side is full. */
  void keep(ByteBuffer work, int start, int length) {
    count = length;
    kept = length == 0 ? NOTHING : new byte[length];
    work.get(start, kept, 0, length);
  }
}
