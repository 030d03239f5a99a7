// SPDX-License-Identifier: Apache-2.0
package org.netserv.overload.feedback;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The message authentication code of both kinds: HMAC-SHA256, cut to 16 bytes. One thread. */
public final class FeedbackMac {
  /** Bytes of the code at the end of each message. */
  public static final int LENGTH = 16;

  /** Bytes of a key. */
  public static final int KEY_LENGTH = 32;

  private static final String ALGORITHM = "HmacSHA256";

  private final Mac mac;

  /**
   * Makes a code with a key.
   *
   * @param key 32 bytes
   * @throws IllegalArgumentException if the key has another length
   */
  public FeedbackMac(byte[] key) {
    if (key.length != KEY_LENGTH) {
      throw new IllegalArgumentException("key: not 32 bytes");
    }
    try {
      mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has HMAC-SHA256", e);
    }
  }

  /**
   * Reads a key of 64 hexadecimal digits.
   *
   * @throws IllegalArgumentException if it is none
   */
  public static byte[] key(String hex) {
    if (!hex.matches("[0-9a-fA-F]{64}")) {
      throw new IllegalArgumentException("not 64 hexadecimal digits");
    }
    return HexFormat.of().parseHex(hex);
  }

  /** Fills the end of a message whose other bytes are written. */
  byte[] sign(byte[] message) {
    byte[] code = code(message, message.length - LENGTH);
    System.arraycopy(code, 0, message, message.length - LENGTH, LENGTH);
    return message;
  }

  /** Compares in a time that does not depend on the bytes. */
  boolean fits(byte[] message, int length) {
    byte[] code = Arrays.copyOfRange(message, length - LENGTH, length);
    return MessageDigest.isEqual(code(message, length - LENGTH), code);
  }

  private byte[] code(byte[] bytes, int length) {
    mac.update(bytes, 0, length);
    return Arrays.copyOf(mac.doFinal(), LENGTH);
  }
}
