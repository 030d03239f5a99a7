// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.registration;

import java.security.interfaces.XECPrivateKey;
import java.util.Arrays;

/** Curve25519 by the JDK's providers. */
final class JdkCurve25519 implements Curve25519 {
  @Override
  public boolean verify(byte[] key, byte[] text, byte[] signature) {
    return KeyType.ED25519.verify(Arrays.copyOf(key, KeyType.LENGTH), text, signature);
  }

  @Override
  public byte[] agree(XECPrivateKey own, byte[] peer) {
    return Secrets.agree(own, peer);
  }
}
