// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.core;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URL;
import java.net.URLClassLoader;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.XECPrivateKey;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.netserv.serval.registration.Curve25519;

/** Bouncy Castle's arithmetic beside the JDK's. */
class FastCurve25519Test {
  private static final int HASH = 32;
  private static final Curve25519 JDK = Curve25519.ofJdk();

  private final Curve25519 fast = new FastCurve25519();
  private final Random random = new Random(17);

  private static KeyPair pair(String curve) throws GeneralSecurityException {
    return KeyPairGenerator.getInstance(curve).generateKeyPair();
  }

  private static byte[] wire(KeyPair pair) {
    byte[] encoded = pair.getPublic().getEncoded();
    return Arrays.copyOfRange(encoded, encoded.length - HASH, encoded.length);
  }

  private static byte[] sign(KeyPair pair, byte[] text) throws GeneralSecurityException {
    Signature signer = Signature.getInstance("Ed25519");
    signer.initSign(pair.getPrivate());
    signer.update(text);
    return signer.sign();
  }

  private byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  @Test
  void whatTheJdkSignsIsRightAndAnyOtherBitIsNot() throws GeneralSecurityException {
    KeyPair pair = pair("Ed25519");
    byte[] text = bytes(247);
    byte[] signature = sign(pair, text);
    assertTrue(fast.verify(wire(pair), text, signature));
    for (byte[] part : new byte[][] {wire(pair), text, signature}) {
      for (int i = 0; i < 40; i++) {
        byte[] mutant = part.clone();
        mutant[random.nextInt(part.length)] ^= (byte) (1 << random.nextInt(8));
        byte[] key = part.length == HASH ? mutant : wire(pair);
        byte[] signed = part == text ? mutant : text;
        byte[] proof = part == signature ? mutant : signature;
        assertFalse(fast.verify(key, signed, proof));
        assertFalse(JDK.verify(key, signed, proof));
      }
    }
  }

  /** A second signature of the same text is the first one with the order of the group added. */
  @Test
  void aSignatureHasOneForm() throws GeneralSecurityException {
    byte[] order =
        HexFormat.of().parseHex("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");
    KeyPair pair = pair("Ed25519");
    byte[] signature = sign(pair, bytes(9));
    for (int i = 0, carry = 0; i < HASH; i++) {
      int sum = (signature[HASH + i] & 0xff) + (order[i] & 0xff) + carry;
      signature[HASH + i] = (byte) sum;
      carry = sum >> 8;
    }
    assertFalse(fast.verify(wire(pair), new byte[9], signature));
  }

  @Test
  void anyBytesAreRefusedWithoutAnException() throws GeneralSecurityException {
    XECPrivateKey own = (XECPrivateKey) pair("X25519").getPrivate();
    for (int i = 0; i < 500; i++) {
      assertFalse(fast.verify(bytes(HASH), bytes(random.nextInt(300)), bytes(64)));
      byte[] peer = bytes(HASH);
      assertArrayEquals(JDK.agree(own, peer), fast.agree(own, peer));
    }
    for (int length = 0; length < HASH; length++) {
      assertFalse(fast.verify(new byte[length], new byte[1], new byte[64]));
      assertFalse(fast.verify(new byte[HASH], new byte[1], new byte[2 * length]));
      assertNull(fast.agree(own, new byte[length]));
    }
  }

  /** A point of small order (RFC 7748, 6.1): every host would agree on the same secret. */
  @Test
  void pointsOfSmallOrderAreRefused() throws GeneralSecurityException {
    XECPrivateKey own = (XECPrivateKey) pair("X25519").getPrivate();
    byte[] one = new byte[HASH];
    one[0] = 1;
    for (byte[] point : new byte[][] {new byte[HASH], one}) {
      assertNull(fast.agree(own, point));
      assertNull(JDK.agree(own, point));
    }
  }

  @Test
  void bothEndsAgree() throws GeneralSecurityException {
    KeyPair one = pair("X25519");
    KeyPair other = pair("X25519");
    byte[] secret = fast.agree((XECPrivateKey) one.getPrivate(), wire(other));
    assertNotNull(secret);
    assertArrayEquals(secret, JDK.agree((XECPrivateKey) other.getPrivate(), wire(one)));
  }

  private static URL place(Class<?> of) {
    return of.getProtectionDomain().getCodeSource().getLocation();
  }

  /** The classes of Bouncy Castle in the bundle are enough: its jar is not on this class path. */
  @Test
  void theBundleHasAllClasses() throws Exception {
    URL[] alone = {place(FastCurve25519.class), place(Curve25519.class)};
    KeyPair pair = pair("Ed25519");
    byte[] text = bytes(100);
    try (URLClassLoader loader = new URLClassLoader(alone, ClassLoader.getPlatformClassLoader())) {
      Class<?> there = loader.loadClass(FastCurve25519.class.getName());
      Object curve = there.getConstructor().newInstance();
      Object right =
          there
              .getMethod("verify", byte[].class, byte[].class, byte[].class)
              .invoke(curve, wire(pair), text, sign(pair, text));
      assertEquals(true, right);
      assertNotNull(
          there
              .getMethod("agree", XECPrivateKey.class, byte[].class)
              .invoke(curve, pair("X25519").getPrivate(), wire(pair("X25519"))));
    }
  }
}
