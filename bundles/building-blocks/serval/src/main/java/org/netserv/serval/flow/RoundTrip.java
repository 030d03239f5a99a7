// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.flow;

/**
 * The time after which a control message is sent again (Jacobson and Karn, as in RFC 6298). A
 * message that was sent more than once gives no sample, and a doubled time holds until the next
 * sample.
 */
final class RoundTrip {
  static final long FIRST = 3_000;
  static final long LEAST = 200;
  static final long MOST = 120_000;

  private long smoothed = -1; // eight times the round trip; -1 = no sample
  private long variation; // four times
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
    timeout = bounded(smoothed / 8 + Math.max(1, variation));
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
