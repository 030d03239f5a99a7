// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.ncm;

import java.security.PublicKey;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmSigner;

/** Signature checks that never throw. */
final class Signatures {
  private Signatures() {}

  static boolean verifies(Ncm ncm, PublicKey key) {
    try {
      return NcmSigner.verify(ncm, key);
    } catch (IllegalArgumentException e) {
      // A registered key may be of a kind that signs nothing here.
      return false;
    }
  }
}
