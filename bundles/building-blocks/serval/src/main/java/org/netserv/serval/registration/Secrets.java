// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.registration;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.HexFormat;
import javax.crypto.KeyAgreement;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The arithmetic of a registration's secrets: X25519 (RFC 7748) and HMAC-SHA-256 (RFC 2104). */
final class Secrets {
  private static final String HMAC = "HmacSHA256";
  private static final String CURVE = "X25519";
  private static final byte[] HEAD = HexFormat.of().parseHex("302a300506032b656e032100");
  private static final byte[] PURPOSE =
      "serval registration key".getBytes(StandardCharsets.US_ASCII);

  private Secrets() {}

  static KeyPair pair() {
    try {
      return KeyPairGenerator.getInstance(CURVE).generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e); // every Java from 11 on has it
    }
  }

  /** Returns the 32 bytes of a public key. */
  static byte[] wire(PublicKey key) {
    byte[] encoded = key.getEncoded();
    return Arrays.copyOfRange(encoded, encoded.length - Messages.HASH, encoded.length);
  }

  /** Returns the secret that two keys agree on, null if the peer's bytes are no key for it. */
  static byte[] agree(PrivateKey own, byte[] peer) {
    try {
      byte[] encoded = Arrays.copyOf(HEAD, HEAD.length + Messages.HASH);
      System.arraycopy(peer, 0, encoded, HEAD.length, Messages.HASH);
      KeyAgreement agreement = KeyAgreement.getInstance(CURVE);
      agreement.init(own);
      agreement.doPhase(
          KeyFactory.getInstance(CURVE).generatePublic(new X509EncodedKeySpec(encoded)), true);
      return agreement.generateSecret();
    } catch (GeneralSecurityException e) {
      return null; // such as a point of small order
    }
  }

  /**
   * Returns the key of a registration's MACs.
   *
   * @param secret that both ends have agreed on
   * @param transcript that both ends have in common
   */
  static Mac mac(byte[] secret, byte[] transcript) {
    Mac mac = mac(secret);
    mac.update(PURPOSE);
    return mac(mac.doFinal(transcript));
  }

  static Mac mac(byte[] key) {
    try {
      Mac mac = Mac.getInstance(HMAC);
      mac.init(new SecretKeySpec(key, HMAC));
      return mac;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e); // every Java has it
    }
  }

  /** Returns the SHA-256 of two parts. */
  static byte[] sha256(byte[] first, byte[] second) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(first);
      return digest.digest(second);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e); // every Java has it
    }
  }

  /** Writes the MAC of an answer or a refresh, over all that is in front of it. */
  static void seal(Mac mac, ByteBuffer message) {
    mac.update(Messages.bytes(message, 0, Messages.MAC));
    message.put(Messages.MAC, mac.doFinal());
  }

  /** Tells whether the MAC of an answer or a refresh is right. */
  static boolean isSealed(Mac mac, byte[] message) {
    mac.update(message, 0, Messages.MAC);
    byte[] there = Arrays.copyOfRange(message, Messages.MAC, Messages.ANSWER_LENGTH);
    return MessageDigest.isEqual(mac.doFinal(), there);
  }
}
