// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.registration;

import java.security.interfaces.XECPrivateKey;

/**
 * The arithmetic of Curve25519 that a router does for each REGISTER. The JDK's own takes most of
 * the time of a registration, so a router may bring a faster one. It must refuse whatever the
 * standards have it refuse: each input comes from the network. Implementations may be called by
 * several threads.
 */
public interface Curve25519 {
  /**
   * Tells whether a signature of Ed25519 (RFC 8032) is right. Bytes that are no key or no signature
   * are not.
   *
   * @param key 32 bytes
   * @param text the signed bytes
   * @param signature 64 bytes
   */
  boolean verify(byte[] key, byte[] text, byte[] signature);

  /**
   * Returns the secret of X25519 (RFC 7748), 32 bytes. It is null if they are all zero, as with a
   * point of small order.
   *
   * @param peer 32 bytes
   */
  byte[] agree(XECPrivateKey own, byte[] peer);

  /** Returns the JDK's arithmetic. */
  static Curve25519 ofJdk() {
    return new JdkCurve25519();
  }
}
