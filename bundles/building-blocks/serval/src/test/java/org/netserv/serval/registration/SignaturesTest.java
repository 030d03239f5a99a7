// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.registration;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.security.interfaces.XECPrivateKey;
import org.junit.jupiter.api.Test;
import org.netserv.serval.Endpoint;

/** The memory of delegations, with arithmetic to which each signature is right or wrong. */
class SignaturesTest {
  private static final Endpoint HOST = Endpoint.ofIpv4(0xc6336407, 6000);
  private static final int REMEMBERED = 1024;

  private boolean right = true;
  private int verified;

  private final Signatures signatures =
      new Signatures(
          1 << 20,
          new Curve25519() {
            @Override
            public boolean verify(byte[] key, byte[] text, byte[] signature) {
              verified++;
              return right;
            }

            @Override
            public byte[] agree(XECPrivateKey own, byte[] peer) {
              return peer;
            }
          });

  /** Returns the number of signatures that a REGISTER with the delegation of a number takes. */
  private int of(int delegation, RegistrationRefusal outcome) {
    ByteBuffer register =
        Messages.begin(Messages.REGISTER, Messages.REGISTER_LENGTH + Delegation.LENGTH)
            .put(Messages.KEY_TYPE, (byte) 1)
            .put(Messages.REGISTER_LENGTH, (byte) 1)
            .putInt(Messages.REGISTER_LENGTH + 12, delegation);
    byte[] bytes = new byte[register.capacity()];
    register.get(0, bytes);
    int before = verified;
    RegisterMessage message = new RegisterMessage(bytes);
    assertEquals(outcome, signatures.verify(message, new byte[1], HOST, 0));
    return verified - before;
  }

  @Test
  void theLastOnesAreRemembered() {
    for (int i = 0; i < REMEMBERED; i++) {
      assertEquals(2, of(i, RegistrationRefusal.OK));
    }
    for (int i = 0; i < REMEMBERED; i++) {
      assertEquals(1, of(i, RegistrationRefusal.OK));
    }
    assertEquals(2, of(REMEMBERED, RegistrationRefusal.OK)); // in the place of number 0
    assertEquals(1, of(1, RegistrationRefusal.OK));
    assertEquals(2, of(0, RegistrationRefusal.OK));
  }

  @Test
  void aWrongSignatureOfTheHolderCountsBeforeTheMemory() {
    assertEquals(2, of(7, RegistrationRefusal.OK));
    right = false;
    assertEquals(1, of(7, RegistrationRefusal.SIGNATURE));
  }
}
