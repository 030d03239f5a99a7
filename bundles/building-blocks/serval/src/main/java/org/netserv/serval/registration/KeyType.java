// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.registration;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * The kinds of keys that sign registrations. On the wire a public key has 64 bytes, and so has a
 * signature. Keys of Ed25519 (RFC 8032) have 32 bytes and 32 zeros behind them. A key of P-256 is x
 * and y, and a signature r and s, of 32 bytes each (SEC 1, IEEE P1363).
 */
public enum KeyType {
  ED25519(1, "Ed25519", "Ed25519", "302a300506032b6570032100", 32),
  P256(
      2,
      "EC",
      "SHA256withECDSAinP1363Format",
      "3059301306072a8648ce3d020106082a8648ce3d03010703420004",
      64);

  /** Bytes of a public key on the wire, and of a signature. */
  public static final int LENGTH = 64;

  private final int number;
  private final String factory;
  private final String signature;
  private final String head; // of the SubjectPublicKeyInfo (RFC 5280), in front of the key, hex
  private final int bytes;

  KeyType(int number, String factory, String signature, String head, int bytes) {
    this.number = number;
    this.factory = factory;
    this.signature = signature;
    this.head = head;
    this.bytes = bytes;
  }

  /** Returns the number on the wire. */
  public int number() {
    return number;
  }

  /** Returns the type of a number, null if there is none. */
  static KeyType of(int number) {
    return number == 1 ? ED25519 : number == 2 ? P256 : null;
  }

  /**
   * Returns the type of a key.
   *
   * @throws IllegalArgumentException if the key is of another kind
   */
  public static KeyType of(PublicKey key) {
    byte[] encoded = key.getEncoded();
    for (KeyType type : values()) {
      byte[] head = type.head();
      if (encoded != null
          && encoded.length == head.length + type.bytes
          && Arrays.equals(encoded, 0, head.length, head, 0, head.length)) {
        return type;
      }
    }
    throw new IllegalArgumentException("neither a key of Ed25519 nor of P-256");
  }

  private byte[] head() {
    return HexFormat.of().parseHex(head);
  }

  /** Returns the 64 bytes of a key of this type. */
  byte[] bytes(PublicKey key) {
    int start = head().length;
    return Arrays.copyOfRange(key.getEncoded(), start, start + LENGTH);
  }

  /**
   * Tells whether 64 bytes can be a key of this type. Whether 32 bytes are a point of Ed25519 shows
   * with the first signature.
   */
  boolean isKey(byte[] wire) {
    for (int i = bytes; i < LENGTH; i++) {
      if (wire[i] != 0) {
        return false;
      }
    }
    return this == ED25519 || key(wire) != null;
  }

  private PublicKey key(byte[] wire) {
    byte[] encoded = Arrays.copyOf(head(), head().length + bytes);
    ByteBuffer.wrap(encoded).put(head().length, wire, 0, bytes);
    try {
      return KeyFactory.getInstance(factory).generatePublic(new X509EncodedKeySpec(encoded));
    } catch (GeneralSecurityException e) {
      return null;
    }
  }

  /** Signs. The signature has 64 bytes. */
  byte[] sign(PrivateKey key, byte[] bytes) {
    try {
      Signature signer = Signature.getInstance(signature);
      signer.initSign(key);
      signer.update(bytes);
      return signer.sign();
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException("a key that does not sign", e);
    }
  }

  /**
   * Tells whether a signature is right. Bytes that are no signature are not.
   *
   * @param wire the 64 bytes of a key
   */
  boolean verify(byte[] wire, byte[] bytes, byte[] signed) {
    PublicKey key = key(wire);
    if (key == null) {
      return false;
    }
    try {
      Signature verifier = Signature.getInstance(signature);
      verifier.initVerify(key);
      verifier.update(bytes);
      return verifier.verify(signed);
    } catch (GeneralSecurityException e) {
      return false;
    }
  }
}
