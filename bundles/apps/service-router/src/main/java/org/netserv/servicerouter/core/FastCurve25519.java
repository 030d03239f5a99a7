// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.core;

import java.security.interfaces.XECPrivateKey;
import org.bouncycastle.math.ec.rfc7748.X25519;
import org.bouncycastle.math.ec.rfc8032.Ed25519;
import org.netserv.serval.registration.Curve25519;

/**
 * Curve25519 by the low-level code of Bouncy Castle. Verifying a signature takes an eighth of the
 * time of the JDK's provider, and agreeing on a key takes half of it.
 */
public final class FastCurve25519 implements Curve25519 {
  @Override
  public boolean verify(byte[] key, byte[] text, byte[] signature) {
    return key.length == Ed25519.PUBLIC_KEY_SIZE
        && signature.length == Ed25519.SIGNATURE_SIZE
        && Ed25519.verify(signature, 0, key, 0, text, 0, text.length);
  }

  @Override
  public byte[] agree(XECPrivateKey own, byte[] peer) {
    byte[] secret = new byte[X25519.POINT_SIZE];
    boolean agreed =
        peer.length == X25519.POINT_SIZE
            && X25519.calculateAgreement(own.getScalar().orElseThrow(), 0, peer, 0, secret, 0);
    return agreed ? secret : null;
  }
}
