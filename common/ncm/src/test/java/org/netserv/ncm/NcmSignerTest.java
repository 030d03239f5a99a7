// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.netserv.values.NodeIdentity;
import org.netserv.values.TestKeys;

class NcmSignerTest {
  @Test
  void aNodeSignsUnderACanonicalName() throws Exception {
    String name = NodeIdentity.nodeId(TestKeys.p256().getPublic());
    assertEquals(name, Header.NODE_ID.canonical(name));
  }

  @Test
  void wrongKeyWrongBytesNoSignature() throws Exception {
    Ncm signed = NcmSigner.sign(Messages.setup().build(), TestKeys.ed25519().getPrivate());
    assertTrue(NcmSigner.verify(signed, TestKeys.ed25519().getPublic()));
    assertFalse(NcmSigner.verify(signed, TestKeys.otherEd25519().getPublic()));
    assertFalse(NcmSigner.verify(signed, TestKeys.p256().getPublic()));
    assertFalse(
        NcmSigner.verify(
            signed.toBuilder().unset(Header.SIGNATURE).build(), TestKeys.ed25519().getPublic()));
    assertFalse(
        NcmSigner.verify(
            signed.toBuilder().set(Header.TTL, 3601).build(), TestKeys.ed25519().getPublic()));
  }
}
