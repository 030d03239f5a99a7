// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * The first 13 characters of a nonce (RFC 8489, 9.2): "obMatJos2", then base64 of the 24 bits of
 * security features. They tell a client what somebody on the path may have removed (9.2.1).
 */
public final class NonceCookie {
  /** The server offers {@link PasswordAlgorithms} (18.1: bit 0). */
  public static final int PASSWORD_ALGORITHMS = 1 << 23;

  /** The server knows users by {@link UserHash} (18.1: bit 1). */
  public static final int USERNAME_ANONYMITY = 1 << 22;

  static final int LENGTH = 13;

  private static final byte[] MARK = "obMatJos2".getBytes(StandardCharsets.US_ASCII);

  private NonceCookie() {}

  static byte[] of(int features) {
    byte[] cookie = new byte[LENGTH];
    byte[] bits = {(byte) (features >>> 16), (byte) (features >>> 8), (byte) features};
    System.arraycopy(MARK, 0, cookie, 0, MARK.length);
    System.arraycopy(Base64.getEncoder().encode(bits), 0, cookie, MARK.length, 4);
    return cookie;
  }

  /** Returns the security features of a message's NONCE, or 0 if it has no nonce cookie. */
  public static int features(StunMessage message) {
    int at = message.find(StunAttribute.NONCE);
    if (at < 0 || message.length(at) < LENGTH) {
      return 0;
    }
    ByteBuffer buffer = message.buffer();
    int start = message.valueStart(at);
    for (int i = 0; i < MARK.length; i++) {
      if (buffer.get(start + i) != MARK[i]) {
        return 0;
      }
    }
    int features = 0;
    for (int i = MARK.length; i < LENGTH; i++) {
      int digit = digit(buffer.get(start + i));
      if (digit < 0) {
        return 0;
      }
      features = (features << 6) | digit;
    }
    return features;
  }

  private static int digit(int character) {
    if (character >= 'A' && character <= 'Z') {
      return character - 'A';
    }
    if (character >= 'a' && character <= 'z') {
      return character - 'a' + 26;
    }
    if (character >= '0' && character <= '9') {
      return character - '0' + 52;
    }
    return character == '+' ? 62 : character == '/' ? 63 : -1;
  }
}
