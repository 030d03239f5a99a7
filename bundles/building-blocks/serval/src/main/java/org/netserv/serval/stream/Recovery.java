// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

/**
 * The congestion window of a stream, and the flight for which a loss has reduced it. Losses of a
 * path that the stream has left do not reduce it.
 */
final class Recovery {
  private Cubic cubic;
  private boolean active;
  private boolean timedOut; // so the window grows meanwhile
  private int end; // the next sequence number at the time of the loss
  private Cubic.State saved; // before that loss
  private long movedAt = Long.MIN_VALUE;

  /** Begins with the window of a stream whose segments have so many bytes. */
  void begin(int mss) {
    cubic = new Cubic(mss);
  }

  Cubic cubic() {
    return cubic;
  }

  boolean isActive() {
    return active;
  }

  /** Tells whether acknowledgements let the window grow. */
  boolean grows() {
    return !active || timedOut;
  }

  /**
   * Reduces the window once for each flight.
   *
   * @param lastSent the last time at which one of the lost segments was sent
   * @param una first sequence number under way
   * @param next first one that is not
   */
  void lost(long lastSent, int una, int next) {
    if (!active && lastSent > movedAt) {
      saved = cubic.save();
      cubic.lost(next - una);
      active = true;
      end = next;
    }
  }

  /** The retransmission timer has fired. The first segment under way left at a time. */
  void timedOut(long firstSent, int una, int next) {
    if (firstSent > movedAt && !timedOut) {
      saved = active ? saved : cubic.save();
      cubic.timedOut(next - una);
      active = true;
      timedOut = true;
      end = next;
    }
  }

  /** All in front of a sequence number is acknowledged. */
  void acknowledged(int una) {
    if (active && !Sequence.isBefore(una, end)) {
      finish();
    }
  }

  /** The path is another, so the window is what it was before the loss. */
  void moved(long now) {
    if (saved != null) {
      cubic.restore(saved);
    }
    finish();
    movedAt = now;
  }

  private void finish() {
    active = false;
    timedOut = false;
    saved = null;
  }
}
