// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

import java.nio.charset.StandardCharsets;

/** USERHASH (RFC 8489, 14.4): the SHA-256 of {@code username:realm}, instead of USERNAME. */
public final class UserHash {
  /** Bytes of the value. */
  public static final int LENGTH = 32;

  private UserHash() {}

  /**
   * Computes the value. Allocates.
   *
   * @throws IllegalArgumentException if {@link OpaqueString} refuses one of the two
   */
  public static byte[] of(String username, String realm) {
    String text =
        OpaqueString.prepare("username", username) + ":" + OpaqueString.prepare("realm", realm);
    return Hmac.digest(Hmac.SHA256).digest(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Tells whether the message carries this value. */
  public static boolean is(StunMessage message, byte[] hash) {
    return StunBytes.equal(message, StunAttribute.USERHASH, hash);
  }

  public static void put(StunWriter writer, byte[] hash) {
    StunBytes.put(writer, StunAttribute.USERHASH, hash);
  }
}
