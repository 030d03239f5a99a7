// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

import java.nio.ByteBuffer;

/** The receiving half of a stream: its window, what has come, and when to acknowledge it. */
final class ReceiveHalf {
  static final long NEVER = Long.MAX_VALUE;

  /** Milliseconds for which an acknowledgement waits for another segment or for data. */
  static final long DELAY = 40;

  /** Milliseconds between acknowledgements of segments outside of the window without payload. */
  static final long PAUSE = 100;

  private final int capacity;
  private int scale; // of this end's windows
  private int mss;
  private boolean sack;
  private Reassembly data;
  private int edge; // right edge of the window that was announced last
  private boolean finKnown;
  private int fin; // sequence number of the peer's FIN
  private boolean duplicate; // told by the next acknowledgement (RFC 2883)
  private int duplicateLeft;
  private int duplicateRight;
  private int unacknowledged; // bytes
  private boolean due; // acknowledge at once
  private long dueAt = NEVER;
  private long answeredAt = Long.MIN_VALUE / 2;

  ReceiveHalf(StreamSettings settings) {
    capacity = settings.receiveBuffer();
  }

  /** Takes the sequence number of the peer's SYN, and the options that both ends have. */
  void agree(int peerInitial, int windowScale, int peerMss, boolean sacks) {
    data = new Reassembly(peerInitial + 1);
    scale = windowScale;
    mss = peerMss;
    sack = sacks;
    edge = peerInitial + 1 + Math.min(capacity, 0xffff);
  }

  int expected() {
    return data == null ? 0 : data.expected();
  }

  /** Returns the window for the header of a SYN, which has no scale. */
  int initialWindow() {
    return Math.min(capacity, 0xffff);
  }

  /** Returns the window for a header, and announces it. The right edge never goes back. */
  int window() {
    int free = Math.max(0, capacity - data.readable());
    int field = Math.min(0xffff, free >> scale);
    edge = Sequence.later(edge, data.expected() + (field << scale));
    return Math.min(0xffff, (edge - data.expected()) >> scale);
  }

  // ---- segments

  /** Tells whether a segment lies in the window, or touches it (RFC 9293 section 3.10.7.4). */
  boolean isAcceptable(Segment segment) {
    int start = segment.sequence();
    int last = start + Math.max(0, segment.span() - 1);
    return !Sequence.isBefore(edge, start) && !Sequence.isBefore(last, data.expected());
  }

  /** Tells whether all of a segment was there before. */
  boolean isOld(Segment segment) {
    return Sequence.isBefore(segment.sequence(), data.expected())
        && !Sequence.isBefore(data.expected(), segment.sequence() + segment.span());
  }

  /** Notes that a segment which is dropped gets an acknowledgement. */
  void refused(Segment segment, long now) {
    if (segment.length() > 0) {
      repeated(segment.sequence(), segment.sequence() + segment.length());
      due = true;
    } else if (now - answeredAt >= PAUSE || segment.has(TcpFlags.FIN)) {
      answeredAt = now;
      due = true;
    }
  }

  private void repeated(int left, int right) {
    duplicate = sack;
    duplicateLeft = left;
    duplicateRight = right;
  }

  /** Takes the payload and the FIN of an acceptable segment. */
  StreamVerdict take(Segment segment, long now) {
    int start = Sequence.later(segment.sequence(), data.expected());
    int stop = segment.sequence() + segment.length();
    if (finKnown && Sequence.isBefore(fin, stop)) {
      return StreamVerdict.AFTER_FIN;
    }
    int end = Sequence.earlier(stop, edge);
    StreamVerdict verdict = StreamVerdict.TAKEN;
    if (Sequence.isBefore(start, end)) {
      verdict = bytes(segment, start, end, now);
    } else {
      due |= segment.length() > 0; // the window is closed
    }
    if (segment.has(TcpFlags.FIN) && end == stop && verdict != StreamVerdict.RANGES) {
      finKnown = true;
      fin = stop;
      due = true;
    }
    if (finKnown && data.expected() == fin) {
      data.finish();
    }
    return verdict;
  }

  private StreamVerdict bytes(Segment segment, int start, int end, long now) {
    boolean gaps = data.ranges() > 0;
    if (data.has(start, end)) {
      repeated(start, end);
      due = true;
      return StreamVerdict.DUPLICATE;
    }
    int from = segment.payload() + (start - segment.sequence());
    if (!data.take(start, segment.buffer(), from, end - start)) {
      due = true;
      return StreamVerdict.RANGES;
    }
    unacknowledged += end - start;
    due |= gaps || data.ranges() > 0 || unacknowledged >= 2 * mss;
    if (dueAt == NEVER) {
      dueAt = now + DELAY;
    }
    return StreamVerdict.TAKEN;
  }

  // ---- the program

  int read(ByteBuffer target) {
    int count = data == null ? 0 : data.read(target);
    if (count > 0 && opensWindow()) {
      due = true;
    }
    return count;
  }

  /** Tells whether the window has grown so much that the peer should know (RFC 9293 3.8.6.2.2). */
  private boolean opensWindow() {
    int free = capacity - data.readable();
    int told = edge - data.expected();
    int step = Math.min(capacity / 4, Math.max(2 * mss, capacity / 16));
    return !data.isFinished() && free - told >= step && (told < capacity / 2 || told < 2 * mss);
  }

  int readable() {
    return data == null ? 0 : data.readable();
  }

  /** Tells whether all data of the peer have come. */
  boolean isFinished() {
    return data != null && data.isFinished();
  }

  // ---- acknowledgements

  boolean isDue(long now) {
    return due || dueAt <= now;
  }

  /** Tells whether a segment without data has to go, because it alone tells of gaps. */
  boolean tellsGaps() {
    return due && sack && (duplicate || data.ranges() > 0);
  }

  /** Asks for an acknowledgement at once. */
  void demand() {
    due = true;
  }

  long dueAt() {
    return dueAt;
  }

  boolean isDue() {
    return due;
  }

  /** Adds SACK blocks to an acknowledgement. */
  void sack(OutgoingSegment segment) {
    if (!sack) {
      return;
    }
    if (duplicate) {
      segment.block(duplicateLeft, duplicateRight);
      duplicate = false;
    }
    data.sack(segment, TcpOption.BLOCKS);
  }

  /** An acknowledgement has left. */
  void acknowledged() {
    due = false;
    dueAt = NEVER;
    unacknowledged = 0;
  }

  /** Returns the bytes of memory. */
  int size() {
    return data == null ? 0 : data.size();
  }

  int ranges() {
    return data == null ? 0 : data.ranges();
  }

  void release() {
    if (data != null) {
      data.release();
    }
  }
}
