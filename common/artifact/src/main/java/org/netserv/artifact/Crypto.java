// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.Provider;
import java.util.HexFormat;
import org.bouncycastle.jce.provider.BouncyCastleProvider;

/** The provider, handed over as an object: it is never registered with the JVM. */
final class Crypto {
  static final Provider PROVIDER = new BouncyCastleProvider();

  private Crypto() {}

  static byte[] digest(String algorithm, byte[] bytes) {
    return digest(algorithm, ByteBuffer.wrap(bytes));
  }

  static byte[] digest(String algorithm, ByteBuffer bytes) {
    try {
      MessageDigest digest = MessageDigest.getInstance(algorithm);
      digest.update(bytes.duplicate());
      return digest.digest();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has " + algorithm, e);
    }
  }

  static String sha256Hex(byte[] bytes) {
    return HexFormat.of().formatHex(digest("SHA-256", bytes));
  }
}
