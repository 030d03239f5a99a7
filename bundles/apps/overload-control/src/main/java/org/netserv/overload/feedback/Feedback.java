// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload.feedback;

import java.nio.ByteBuffer;

/**
 * The server's word to one edge, 40 bytes, big-endian:
 *
 * <pre>
 *    0  "NSOC"   4  version 1   5  kind 1   6  algorithm   7  0
 *    8  sequence, 64 bits, greater than that of any message before
 *   16  value, 32 bits     20  validity in milliseconds, 32 bits; 0 = control ends
 *   24  HMAC-SHA256 of the 24 bytes before it, its first 16 bytes
 * </pre>
 *
 * @param value of 0 to 2**31-1, in the algorithm's unit
 * @param validity milliseconds from the arrival on, 0 to {@link #VALIDITY_MOST}
 * @param sequence above 0
 */
public record Feedback(FeedbackKind algorithm, int value, int validity, long sequence) {
  /** Bytes of the message. */
  public static final int LENGTH = 40;

  /** Longest validity in milliseconds: a lost monitor must not throttle for longer. */
  public static final int VALIDITY_MOST = 60_000;

  static final int KIND = 1;

  /**
   * Makes the server's word.
   *
   * @throws IllegalArgumentException naming the field that is out of range
   */
  public Feedback {
    require(algorithm != null, "algorithm");
    require(value >= 0, "value");
    require(validity >= 0 && validity <= VALIDITY_MOST, "validity");
    require(sequence > 0, "sequence");
  }

  private static void require(boolean condition, String field) {
    if (!condition) {
      throw new IllegalArgumentException("feedback: " + field + " out of range");
    }
  }

  /** Returns the message with its code. */
  public byte[] encode(FeedbackMac mac) {
    byte[] message = new byte[LENGTH];
    ByteBuffer bytes = ByteBuffer.wrap(message);
    Envelope.put(bytes, KIND, algorithm.code());
    bytes.putLong(sequence).putInt(value).putInt(validity);
    return mac.sign(message);
  }

  /**
   * Reads a message whose code is right.
   *
   * @throws FeedbackException with the reason why it is none
   */
  public static Feedback decode(byte[] message, int length, FeedbackMac mac)
      throws FeedbackException {
    ByteBuffer bytes = Envelope.open(message, length, LENGTH, KIND, mac);
    FeedbackKind algorithm = FeedbackKind.of(bytes.get(6));
    long sequence = bytes.getLong(8);
    int value = bytes.getInt(16);
    int validity = bytes.getInt(20);
    if (algorithm == null || bytes.get(7) != 0) {
      throw new FeedbackException(FeedbackException.Reason.ALGORITHM);
    }
    if (value < 0 || validity < 0 || validity > VALIDITY_MOST || sequence <= 0) {
      throw new FeedbackException(FeedbackException.Reason.RANGE);
    }
    return new Feedback(algorithm, value, validity, sequence);
  }
}
