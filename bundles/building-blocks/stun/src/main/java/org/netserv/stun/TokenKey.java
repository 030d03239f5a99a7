// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * A key that an authorization server and a STUN server share (RFC 7635, 4.1). It seals tokens with
 * AEAD_AES_128_GCM or AEAD_AES_256_GCM (RFC 5116), by its length. Belongs to one thread.
 */
public final class TokenKey {
  /** Bytes of a nonce, which a key must not see twice. */
  public static final int NONCE = 12;

  /** Bytes of the longest name: that of USERNAME. */
  private static final int NAME_MOST = 513;

  private static final int TAG_BITS = 128;

  /** Bytes that sealing adds. */
  static final int TAG = TAG_BITS / Byte.SIZE;

  private final String name;
  private final SecretKeySpec key;
  private final Cipher cipher;

  /**
   * @param name the key's identifier, "kid", which clients send as USERNAME
   * @param key 16 or 32 bytes
   * @throws IllegalArgumentException naming what is wrong
   */
  public TokenKey(String name, byte[] key) {
    if (name.isEmpty() || name.length() > NAME_MOST) {
      throw new IllegalArgumentException("name: not of 1 to " + NAME_MOST + " characters");
    }
    if (key.length != 16 && key.length != 32) {
      throw new IllegalArgumentException("key " + name + ": neither 16 nor 32 bytes");
    }
    this.name = name;
    this.key = new SecretKeySpec(key, "AES");
    try {
      cipher = Cipher.getInstance("AES/GCM/NoPadding");
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has AES-GCM", e);
    }
  }

  public String name() {
    return name;
  }

  /**
   * Seals a text.
   *
   * @param nonce {@link #NONCE} bytes
   * @param server the server's name, which opens nothing that was sealed for another one
   */
  byte[] seal(byte[] text, byte[] nonce, byte[] server) {
    try {
      cipher.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(TAG_BITS, nonce));
      cipher.updateAAD(server);
      return cipher.doFinal(text);
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException("nonce: " + e.getMessage(), e);
    }
  }

  /** Opens what lies in {@code [start, end)}. Returns null if this key has not sealed it. */
  ByteBuffer open(ByteBuffer from, int start, int end, byte[] nonce, byte[] server) {
    byte[] sealed = new byte[end - start];
    from.get(start, sealed);
    try {
      cipher.init(Cipher.DECRYPT_MODE, key, new GCMParameterSpec(TAG_BITS, nonce));
      cipher.updateAAD(server);
      return ByteBuffer.wrap(cipher.doFinal(sealed));
    } catch (GeneralSecurityException e) {
      return null;
    }
  }
}
