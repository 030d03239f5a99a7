// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import java.util.Arrays;
import java.util.Optional;

/** The four bytes before a message in UDP. Streams do not have them (RFC 5971 section 5.3.1). */
public final class Magic {
  public static final int VALUE = 0x4e04bda5;
  public static final int BYTES = 4;

  private Magic() {}

  /** Returns the UDP payload of a message. */
  public static byte[] wrap(byte[] message) {
    byte[] payload = new byte[BYTES + message.length];
    NetworkOrder.put32(payload, 0, VALUE);
    System.arraycopy(message, 0, payload, BYTES, message.length);
    return payload;
  }

  /**
   * Returns the message of a UDP payload. Empty means that the payload is not GIST, to be dropped
   * or passed on silently.
   */
  public static Optional<byte[]> strip(byte[] payload) {
    return startsWith(payload)
        ? Optional.of(Arrays.copyOfRange(payload, BYTES, payload.length))
        : Optional.empty();
  }

  /**
   * Returns whether the payload begins with the magic number. The rest may still be anything, or
   * nothing.
   */
  public static boolean startsWith(byte[] payload) {
    return payload.length >= BYTES && NetworkOrder.get32(payload, 0) == VALUE;
  }
}
