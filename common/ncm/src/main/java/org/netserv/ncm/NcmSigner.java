// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import java.security.PrivateKey;
import java.security.PublicKey;
import java.util.Base64;
import org.netserv.values.PublisherKeys;

/** Puts the publisher's signature on a message and checks it. */
public final class NcmSigner {
  private NcmSigner() {}

  /**
   * The message with its signature; one it had before is replaced.
   *
   * @throws NcmException 413 when the signature makes it too long
   */
  public static Ncm sign(Ncm ncm, PrivateKey key) throws NcmException {
    byte[] signature = PublisherKeys.sign(key, ncm.signedBytes());
    return ncm.toBuilder()
        .set(Header.SIGNATURE, Base64.getEncoder().encodeToString(signature))
        .build();
  }

  /** True when the message has a signature and it is that key's. */
  public static boolean verify(Ncm ncm, PublicKey key) {
    return ncm.signature()
        .map(signature -> PublisherKeys.verify(key, ncm.signedBytes(), signature))
        .orElse(false);
  }
}
