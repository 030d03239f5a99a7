// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload.feedback;

import java.nio.ByteBuffer;
import org.netserv.overload.feedback.FeedbackException.Reason;

/** The first eight bytes and the code, which both kinds of message have. */
final class Envelope {
  private static final int MAGIC = 0x4e534f43; // "NSOC"
  private static final int VERSION = 1;

  private Envelope() {}

  static void put(ByteBuffer bytes, int kind, int algorithm) {
    bytes.putInt(MAGIC).put((byte) VERSION).put((byte) kind).put((byte) algorithm).put((byte) 0);
  }

  /** Checks length, magic, version, kind and code, in this order. */
  static ByteBuffer open(byte[] message, int length, int wanted, int kind, FeedbackMac mac)
      throws FeedbackException {
    ByteBuffer bytes = ByteBuffer.wrap(message);
    require(length == wanted && message.length >= wanted, Reason.LENGTH);
    require(bytes.getInt(0) == MAGIC, Reason.MAGIC);
    require(bytes.get(4) == VERSION, Reason.VERSION);
    require(bytes.get(5) == kind, Reason.KIND);
    require(mac.fits(message, length), Reason.MAC);
    return bytes;
  }

  private static void require(boolean condition, Reason reason) throws FeedbackException {
    if (!condition) {
      throw new FeedbackException(reason);
    }
  }
}
