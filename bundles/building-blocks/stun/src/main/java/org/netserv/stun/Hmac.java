// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * HMAC (RFC 2104) over the JDK's hashes. {@code javax.crypto.Mac} allocates at each change of the
 * key, and here each message may come from another user. Belongs to one thread.
 */
final class Hmac {
  static final String SHA1 = "SHA-1";
  static final String SHA256 = "SHA-256";

  /** Bytes of a block of either hash. */
  static final int BLOCK = 64;

  private static final int CHUNK = 512;

  private final String algorithm;
  private final MessageDigest digest;
  private final byte[] chunk = new byte[CHUNK];
  private final byte[] result;
  private StunKey key;

  Hmac(String algorithm) {
    this.algorithm = algorithm;
    digest = digest(algorithm);
    result = new byte[digest.getDigestLength()];
  }

  /** Returns a hash that every JDK has. */
  static MessageDigest digest(String algorithm) {
    try {
      return MessageDigest.getInstance(algorithm);
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every JDK has " + algorithm, impossible);
    }
  }

  Hmac begin(StunKey next) {
    key = next;
    digest.reset();
    digest.update(key.inner(algorithm));
    return this;
  }

  Hmac add(byte[] bytes, int start, int count) {
    digest.update(bytes, start, count);
    return this;
  }

  /** Adds {@code [start, end)} without moving the buffer's position. */
  Hmac add(ByteBuffer buffer, int start, int end) {
    for (int at = start; at < end; at += CHUNK) {
      int count = Math.min(CHUNK, end - at);
      buffer.get(at, chunk, 0, count);
      digest.update(chunk, 0, count);
    }
    return this;
  }

  /** Returns the value, in an array that the next value overwrites. */
  byte[] end() {
    try {
      digest.digest(result, 0, result.length);
      digest.update(key.outer(algorithm));
      digest.update(result, 0, result.length);
      digest.digest(result, 0, result.length);
    } catch (java.security.DigestException impossible) {
      throw new IllegalStateException("the array has the digest's length", impossible);
    }
    return result;
  }
}
