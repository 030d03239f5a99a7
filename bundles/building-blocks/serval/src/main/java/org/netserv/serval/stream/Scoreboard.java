// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

import java.util.Arrays;

/**
 * The segments that are sent and not acknowledged, in their order, without gaps (RFC 6675). Each
 * one is under way, or arrived by SACK, or lost and waits to be sent again.
 *
 * <pre>
 *    una                                      next
 *     | lost | under way | arrived | lost ... |
 * </pre>
 */
final class Scoreboard {
  /** Segments at a time. The sender waits beyond them. */
  static final int MOST = 1 << 13;

  static final long NEVER = Long.MAX_VALUE;
  private static final int ARRIVED = 1;
  private static final int LOST = 2;
  private static final int AGAIN = 4; // sent more than once

  private final Rack rack;
  private int[] starts = new int[32];
  private int[] ends = new int[32];
  private long[] times = new long[32];
  private byte[] marks = new byte[32];
  private int head;
  private int count;
  private long flying;
  private int lost;
  private int arrived;
  private int again;
  private int delivered;
  private long sample = -1;
  private long sampleSent;
  private long dueAt = NEVER;

  Scoreboard(Rack rack) {
    this.rack = rack;
  }

  boolean isEmpty() {
    return count == 0;
  }

  boolean isFull() {
    return count >= MOST;
  }

  /** Returns the bytes under way, without those that count as lost. */
  long flying() {
    return flying;
  }

  int lost() {
    return lost;
  }

  int arrived() {
    return arrived;
  }

  /** Returns the bytes that the last acknowledgement has delivered. */
  int delivered() {
    return delivered;
  }

  /** Returns the round trip of the last acknowledgement, -1 if it gives none (Karn). */
  long sample() {
    return sample;
  }

  /** Returns the time at which {@link #detect} may find more, if no acknowledgement comes. */
  long dueAt() {
    return dueAt;
  }

  // ---- segments

  /** Adds a segment that is sent now. */
  void sent(int start, int end, long now) {
    if (count == starts.length) {
      grow();
    }
    int at = slot(count++);
    starts[at] = start;
    ends[at] = end;
    times[at] = now;
    marks[at] = 0;
    flying += end - start;
  }

  private void grow() {
    int size = starts.length;
    int[] oldStarts = starts;
    int[] oldEnds = ends;
    long[] oldTimes = times;
    byte[] oldMarks = marks;
    starts = new int[size * 2];
    ends = new int[size * 2];
    times = new long[size * 2];
    marks = new byte[size * 2];
    for (int i = 0; i < count; i++) {
      int from = (head + i) & (size - 1);
      starts[i] = oldStarts[from];
      ends[i] = oldEnds[from];
      times[i] = oldTimes[from];
      marks[i] = oldMarks[from];
    }
    head = 0;
  }

  private int slot(int index) {
    return (head + index) & (starts.length - 1);
  }

  private boolean is(int at, int mark) {
    return (marks[at] & mark) != 0;
  }

  /** Returns the first segment that is lost, by a number for the next calls; -1 if none is. */
  int nextLost() {
    for (int i = 0; lost > 0 && i < count; i++) {
      if (is(slot(i), LOST)) {
        return slot(i);
      }
    }
    return -1;
  }

  int start(int at) {
    return starts[at];
  }

  int end(int at) {
    return ends[at];
  }

  /** Returns the time at which the first segment was sent last. */
  long firstSent() {
    return times[head];
  }

  /** Returns the sequence numbers of the first segment. */
  int firstLength() {
    return ends[head] - starts[head];
  }

  /**
   * Cuts a lost segment in two.
   *
   * @param length of the first part
   * @return the number of the first part. All other numbers are void
   */
  int cut(int at, int length) {
    int index = (at - head) & (starts.length - 1);
    if (count == starts.length) {
      grow();
    }
    for (int i = count++; i > index; i--) {
      int to = slot(i);
      int from = slot(i - 1);
      starts[to] = starts[from];
      ends[to] = ends[from];
      times[to] = times[from];
      marks[to] = marks[from];
    }
    int first = slot(index);
    ends[first] = starts[first] + length;
    starts[slot(index + 1)] = ends[first];
    lost++;
    again += is(first, AGAIN) ? 1 : 0;
    return first;
  }

  /** A lost segment is sent again now. */
  void sentAgain(int at, long now) {
    again += is(at, AGAIN) ? 0 : 1;
    lost--;
    marks[at] = (byte) ((marks[at] & ~LOST) | AGAIN);
    times[at] = now;
    flying += ends[at] - starts[at];
  }

  /** The last segment, which is under way, is sent again now. Returns its number. */
  int repeatLast(long now) {
    int at = slot(count - 1);
    again += is(at, AGAIN) ? 0 : 1;
    marks[at] |= AGAIN;
    times[at] = now;
    return at;
  }

  // ---- acknowledgements

  /** Begins with another acknowledgement. */
  void begin() {
    delivered = 0;
    sample = -1;
    sampleSent = Long.MIN_VALUE;
  }

  /** Removes all segments in front of a sequence number, and cuts the one in which it lies. */
  void acked(int una, long now) {
    boolean ambiguous = false;
    while (count > 0 && !Sequence.isBefore(una, ends[head])) {
      arrive(head, now);
      arrived--;
      ambiguous |= is(head, AGAIN);
      again -= is(head, AGAIN) ? 1 : 0;
      head = slot(1);
      count--;
    }
    if (count > 0 && Sequence.isBefore(starts[head], una)) {
      int cut = una - starts[head];
      delivered += is(head, ARRIVED) ? 0 : cut;
      flying -= (marks[head] & (ARRIVED | LOST)) == 0 ? cut : 0;
      starts[head] = una;
    }
    sample = ambiguous ? -1 : sample; // the others may have waited behind a retransmission
  }

  /** Marks the segments that lie inside a block of SACK as arrived. */
  void sacked(int left, int right, long now) {
    for (int i = find(left); i < count; i++) {
      int at = slot(i);
      if (Sequence.isBefore(right, ends[at])) {
        return;
      }
      arrive(at, now);
    }
  }

  /** Returns the index of the first segment that begins at a sequence number or behind it. */
  private int find(int left) {
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (Sequence.isBefore(starts[slot(middle)], left)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private void arrive(int at, long now) {
    if (is(at, ARRIVED)) {
      return;
    }
    int length = ends[at] - starts[at];
    delivered += length;
    arrived++;
    boolean wasLost = is(at, LOST);
    if (wasLost) {
      lost--;
    } else {
      flying -= length;
    }
    boolean sentAgain = is(at, AGAIN);
    rack.arrived(times[at], ends[at], sentAgain, now);
    if (!sentAgain && !wasLost && times[at] >= sampleSent) {
      sampleSent = times[at];
      sample = now - times[at];
    }
    marks[at] = (byte) ((marks[at] & ~LOST) | ARRIVED);
  }

  /** Tells whether the peer has thrown away data that it had acknowledged by SACK. */
  boolean isReneged() {
    return count > 0 && is(head, ARRIVED);
  }

  // ---- losses

  /**
   * Finds the segments that are lost.
   *
   * @return the last time at which one of them was sent, -1 if none is lost
   */
  long detect(boolean recovers, long smoothed, long now) {
    dueAt = NEVER;
    long newest = -1;
    if (arrived == 0 && again == 0) {
      return newest; // all that is left was sent after all that has arrived
    }
    long patience = rack.patience(arrived, recovers, smoothed);
    for (int i = 0; i < count; i++) {
      int at = slot(i);
      if (is(at, ARRIVED | LOST)) {
        continue;
      }
      if (!rack.isPast(times[at], ends[at])) {
        if (!is(at, AGAIN)) {
          break; // the next ones were sent later
        }
      } else if (times[at] + patience <= now) {
        newest = Math.max(newest, times[at]);
        lose(at);
      } else {
        dueAt = Math.min(dueAt, times[at] + patience);
      }
    }
    return newest;
  }

  private void lose(int at) {
    marks[at] |= LOST;
    lost++;
    flying -= ends[at] - starts[at];
  }

  /** Takes the first segment for lost. */
  void loseFirst() {
    if (count > 0 && !is(head, ARRIVED | LOST)) {
      lose(head);
    }
  }

  /** Takes all segments for lost that have not arrived. */
  void loseAll() {
    for (int i = 0; i < count; i++) {
      if (!is(slot(i), ARRIVED | LOST)) {
        lose(slot(i));
      }
    }
  }

  /** Forgets what SACK has told. All segments count as lost. */
  void forget() {
    for (int i = 0; i < count; i++) {
      marks[slot(i)] = (byte) ((marks[slot(i)] & AGAIN) | LOST);
    }
    lost = count;
    arrived = 0;
    flying = 0;
  }

  /** Ends with all segments. */
  void clear() {
    Arrays.fill(marks, (byte) 0);
    head = 0;
    count = 0;
    flying = 0;
    lost = 0;
    arrived = 0;
    again = 0;
    dueAt = NEVER;
  }
}
