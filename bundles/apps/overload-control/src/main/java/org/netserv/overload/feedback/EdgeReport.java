// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload.feedback;

import java.nio.ByteBuffer;

/**
 * An edge's answer to each feedback, 72 bytes, big-endian. All counts are since the module's start,
 * so a lost report loses nothing:
 *
 * <pre>
 *    0  "NSOC"   4  version 1   5  kind 2   6  algorithm in force, 0 = none   7  0
 *    8  sequence of the feedback that it answers
 *   16  requests offered     24  requests admitted     32  requests rejected     40  repetitions
 *   48  requests in flight, 32 bits     52  milliseconds since the start, 32 bits, wraps
 *   56  HMAC-SHA256 of the 56 bytes before it, its first 16 bytes
 * </pre>
 *
 * @param algorithm code in force, 0 = none
 */
public record EdgeReport(
    int algorithm,
    long sequence,
    long offered,
    long admitted,
    long rejected,
    long repeated,
    int inFlight,
    int millis) {
  /** Bytes of the message. */
  public static final int LENGTH = 72;

  static final int KIND = 2;

  /** Returns the message with its code. */
  public byte[] encode(FeedbackMac mac) {
    byte[] message = new byte[LENGTH];
    ByteBuffer bytes = ByteBuffer.wrap(message);
    Envelope.put(bytes, KIND, algorithm);
    bytes.putLong(sequence).putLong(offered).putLong(admitted).putLong(rejected).putLong(repeated);
    bytes.putInt(inFlight).putInt(millis);
    return mac.sign(message);
  }

  /**
   * Reads a message whose code is right.
   *
   * @throws FeedbackException with the reason why it is none
   */
  public static EdgeReport decode(byte[] message, int length, FeedbackMac mac)
      throws FeedbackException {
    ByteBuffer bytes = Envelope.open(message, length, LENGTH, KIND, mac);
    return new EdgeReport(
        bytes.get(6),
        bytes.getLong(8),
        bytes.getLong(16),
        bytes.getLong(24),
        bytes.getLong(32),
        bytes.getLong(40),
        bytes.getInt(48),
        bytes.getInt(52));
  }
}
