// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

/** The window that the peer announces, in bytes from the first one that is not acknowledged on. */
final class PeerWindow {
  private int scale;
  private int size;
  private int largest;
  private int sequence; // SND.WL1
  private int acknowledgement; // SND.WL2

  /** Takes the scale of the peer's windows. */
  void scale(int shift) {
    scale = shift;
  }

  /** Begins with the window of the peer's SYN, which has no scale. */
  void begin(int synSequence, int una, int window) {
    sequence = synSequence;
    acknowledgement = una;
    set(window);
  }

  /** Returns the bytes of a segment's window. */
  int of(Segment segment) {
    return segment.window() << scale;
  }

  /** Takes the window of a segment, unless a newer segment has come. True if it was taken. */
  boolean take(Segment segment, int una) {
    int start = segment.sequence();
    int ack = segment.acknowledgement();
    boolean newer =
        Sequence.isBefore(sequence, start)
            || (sequence == start && !Sequence.isBefore(ack, acknowledgement));
    if (!newer || Sequence.isBefore(ack, una)) {
      return false;
    }
    sequence = start;
    acknowledgement = ack;
    set(of(segment));
    return true;
  }

  private void set(int bytes) {
    size = bytes;
    largest = Math.max(largest, bytes);
  }

  int size() {
    return size;
  }

  /** Returns the largest window so far. */
  int largest() {
    return largest;
  }
}
