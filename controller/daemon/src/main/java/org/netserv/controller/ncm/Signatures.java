// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.ncm;

import java.security.PublicKey;
import org.netserv.ncm.Delegation;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmSigner;

/** Signature checks that never throw. */
final class Signatures {
  private Signatures() {}

  /** Tells whether the key has issued a delegation. */
  static boolean issued(Delegation delegation, PublicKey key) {
    try {
      return delegation.issuedBy(key);
    } catch (IllegalArgumentException e) {
      // A registered key may be of a kind that signs nothing here.
      return false;
    }
  }

  static boolean verifies(Ncm ncm, PublicKey key) {
    try {
      return NcmSigner.verify(ncm, key);
    } catch (IllegalArgumentException e) {
      // A registered key may be of a kind that signs nothing here.
      return false;
    }
  }
}
