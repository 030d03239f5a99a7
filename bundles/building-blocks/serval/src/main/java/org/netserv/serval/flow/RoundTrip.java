// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.flow;

/**
 * The time after which a control message is sent again (Jacobson and Karn, as in RFC 6298). A
 * message that was sent more than once gives no sample. A doubled time ends with its message.
 * Messages are so rare that RFC 6298, by which it holds until the next sample, would let a lossy
 * set-up delay a move hours later.
 */
final class RoundTrip {
  static final long FIRST = 3_000;
  static final long LEAST = 200;
  static final long MOST = 120_000;

  private long smoothed = -1; // eight times the round trip; -1 = no sample
  private long variation; // four times
  private long estimate = FIRST;
  private long timeout = FIRST;

  /** Takes the milliseconds between a message and its acknowledgement. */
  void sample(long measured) {
    if (smoothed < 0) {
      smoothed = measured * 8;
      variation = measured * 2;
    } else {
      long error = measured - smoothed / 8;
      smoothed += error;
      variation += Math.abs(error) - variation / 4;
    }
    estimate = bounded(smoothed / 8 + Math.max(1, variation));
    timeout = estimate;
  }

  /** Begins with another message. */
  void begin() {
    timeout = estimate;
  }

  /** Returns the milliseconds with which a message begins. */
  long estimate() {
    return estimate;
  }

  /** Doubles the time. */
  void backOff() {
    timeout = bounded(timeout * 2);
  }

  /** Returns milliseconds, {@link #LEAST} to {@link #MOST}. */
  long timeout() {
    return timeout;
  }

  private static long bounded(long time) {
    return Math.max(LEAST, Math.min(MOST, time));
  }
}
