// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

/**
 * The time at which the last segment under way is probed, and the fate of that probe (RFC 8985
 * section 7). The loss of the last segments of a flight shows itself by nothing else but a timeout.
 * Milliseconds.
 */
final class TailProbe {
  /** The shortest time, because a host that is busy answers late. */
  static final long LEAST = 10;

  private static final long NEVER = Long.MAX_VALUE;

  private long dueAt = NEVER;
  private boolean waits; // for the acknowledgement of a probe
  private boolean repeats; // the probe was sent before
  private int start; // of the probe
  private int end;
  private long sentAt;

  /**
   * Sets the time, unless the last probe is not acknowledged yet.
   *
   * @param smoothed round trip
   * @param small the peer may wait with its acknowledgement for more data
   * @param timeoutAt time of the retransmission timer, in whose place a probe may come
   */
  void arm(long now, long smoothed, boolean small, long timeoutAt) {
    long patience = Math.max(LEAST, 2 * smoothed) + (small ? ReceiveHalf.DELAY : 0);
    dueAt = waits ? NEVER : Math.min(now + patience, timeoutAt);
  }

  /** Takes the time back. */
  void disarm() {
    dueAt = NEVER;
  }

  /** Forgets the last probe, too. */
  void stop() {
    dueAt = NEVER;
    waits = false;
  }

  long dueAt() {
    return dueAt;
  }

  /** A segment has left as a probe: a new one, or the last one again. */
  void sent(int from, int to, boolean again, long now) {
    dueAt = NEVER;
    waits = true;
    repeats = again;
    start = from;
    end = to;
    sentAt = now;
  }

  /** Tells whether a copy that the peer reports is that of the probe. */
  boolean isCopy(int left) {
    return waits && repeats && !Sequence.isBefore(left, start);
  }

  /** The peer has got the probe twice, so nothing was lost. */
  void copied() {
    waits = false;
  }

  /**
   * Takes an acknowledgement.
   *
   * @return the time at which the probe was sent if it has made good a loss, else -1
   */
  long acknowledged(int ack) {
    if (!waits || Sequence.isBefore(ack, end)) {
      return -1;
    }
    boolean behind = Sequence.isBefore(end, ack);
    if (!repeats || behind) {
      waits = false;
    }
    return repeats && behind ? sentAt : -1; // a report of a copy would have come before
  }
}
