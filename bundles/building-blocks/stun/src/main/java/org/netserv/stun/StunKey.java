// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;

/**
 * The key of a user's check values, ready for both hashes. Immutable, so one key serves all
 * threads. It keeps the first block of the inner and of the outer hash (RFC 2104), therefore the
 * change of the key costs {@link Integrity} nothing.
 */
public final class StunKey {
  private static final byte INNER = 0x36;
  private static final byte OUTER = 0x5c;

  private final byte[][] pads = new byte[4][];

  private StunKey(byte[] key) {
    byte[] short1 = fit(key, Hmac.SHA1);
    byte[] short256 = fit(key, Hmac.SHA256);
    pads[0] = pad(short1, INNER);
    pads[1] = pad(short1, OUTER);
    pads[2] = pad(short256, INNER);
    pads[3] = pad(short256, OUTER);
  }

  /** Makes a key of its bytes. Nobody else keeps them. */
  public static StunKey of(byte[] key) {
    return new StunKey(key);
  }

  /**
   * Makes the key of a short-term credential (RFC 8489, 9.1.1).
   *
   * @throws IllegalArgumentException if {@link OpaqueString} refuses the password
   */
  public static StunKey shortTerm(String password) {
    return of(OpaqueString.prepare("password", password).getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Makes the key of a long-term credential (RFC 8489, 9.2.2 and 18.5.1): the hash of {@code
   * username:realm:password}.
   *
   * @throws IllegalArgumentException if {@link OpaqueString} refuses one of the three
   */
  public static StunKey longTerm(
      String username, String realm, String password, PasswordAlgorithm algorithm) {
    String text =
        OpaqueString.prepare("username", username)
            + ":"
            + OpaqueString.prepare("realm", realm)
            + ":"
            + OpaqueString.prepare("password", password);
    return of(algorithm.digest().digest(text.getBytes(StandardCharsets.UTF_8)));
  }

  private static byte[] fit(byte[] key, String algorithm) {
    if (key.length <= Hmac.BLOCK) {
      return key;
    }
    MessageDigest digest = Hmac.digest(algorithm);
    return digest.digest(key);
  }

  private static byte[] pad(byte[] key, byte mask) {
    byte[] block = Arrays.copyOf(key, Hmac.BLOCK);
    for (int i = 0; i < block.length; i++) {
      block[i] ^= mask;
    }
    return block;
  }

  byte[] inner(String algorithm) {
    return pads[algorithm.equals(Hmac.SHA1) ? 0 : 2];
  }

  byte[] outer(String algorithm) {
    return pads[algorithm.equals(Hmac.SHA1) ? 1 : 3];
  }
}
