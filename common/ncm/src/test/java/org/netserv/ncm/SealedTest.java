// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.netserv.values.BadValueException;
import org.netserv.values.NodeIdentity;
import org.netserv.values.RandomValues;
import org.netserv.values.TestKeys;

class SealedTest {
  private static final NodeIdentity ONE = NodeIdentity.generate(new SecureRandom());
  private static final NodeIdentity TWO = NodeIdentity.generate(new SecureRandom());
  private static final NodeIdentity STRANGER = NodeIdentity.generate(new SecureRandom());
  private static final Map<String, String> SECRET = Map.of("password", "a,b=c\\d");

  private static String seal() throws BadValueException {
    return Sealed.encrypt(SECRET, List.of(ONE.publicKey(), TWO.publicKey()));
  }

  @Test
  void opensForEachNodeItIsSealedToAndNobodyElse() throws Exception {
    Ncm ncm = Messages.setup().set(Header.SEALED, seal()).build();
    String sealed = NcmBinary.decode(NcmBinary.encode(ncm)).sealedProperties().orElseThrow();
    assertEquals(SECRET, Sealed.decrypt(sealed, ONE));
    assertEquals(SECRET, Sealed.decrypt(sealed, TWO));
    assertNull(Sealed.decrypt(sealed, STRANGER));
    String raw = new String(Base64.getDecoder().decode(sealed), StandardCharsets.ISO_8859_1);
    assertFalse(raw.contains("password"));
    assertNotEquals(sealed, seal());
  }

  @Test
  void sixteenNodesFitIntoAMessage() throws Exception {
    List<PublicKey> keys = Collections.nCopies(Sealed.MAX_NODES, ONE.publicKey());
    Messages.setup().set(Header.SEALED, Sealed.encrypt(SECRET, keys)).build();
  }

  @Test
  void keysThatDoNotFit() throws Exception {
    PublicKey ed = TestKeys.ed25519().getPublic();
    assertThrows(BadValueException.class, () -> Sealed.encrypt(SECRET, List.of(ed)));
    assertThrows(BadValueException.class, () -> Sealed.encrypt(SECRET, List.of()));
    List<PublicKey> many = Collections.nCopies(Sealed.MAX_NODES + 1, ONE.publicKey());
    assertThrows(BadValueException.class, () -> Sealed.encrypt(SECRET, many));
    Map<String, String> long1 = Map.of("k", "x".repeat(HeaderValues.MAX_SEALED));
    assertThrows(BadValueException.class, () -> Sealed.encrypt(long1, List.of(ONE.publicKey())));
  }

  /**
   * CBC has no integrity: a changed bit may read as other text, but whatever happens is a value or
   * the named refusal.
   */
  @Test
  void damageIsNeverUnchecked() throws Exception {
    byte[] der = Base64.getDecoder().decode(seal());
    Random random = new Random(9);
    for (int length = 1; length < der.length; length += 3) {
      refused(Arrays.copyOf(der, length));
    }
    for (int i = 0; i < 400; i++) {
      byte[] bytes = der.clone();
      bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
      try {
        Sealed.decrypt(Base64.getEncoder().encodeToString(bytes), ONE);
      } catch (NcmException e) {
        assertSame(Header.SEALED, e.header().orElseThrow());
      }
      refused(RandomValues.bytes(random, 1 + random.nextInt(200)));
    }
  }

  private static void refused(byte[] bytes) {
    String text = Base64.getEncoder().encodeToString(bytes);
    NcmException refusal = assertThrows(NcmException.class, () -> Sealed.decrypt(text, ONE));
    assertEquals(400, refusal.status());
    assertSame(Header.SEALED, refusal.header().orElseThrow());
  }
}
