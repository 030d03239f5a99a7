// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.time.Instant;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.netserv.values.Addresses;
import org.netserv.values.RandomValues;
import org.netserv.values.TestKeys;

class TriggerTest {
  private static final Instant DATE = Instant.parse("2026-11-01T12:00:00Z");
  private static final InetAddress TO = Addresses.of(new byte[] {(byte) 203, 0, 113, 7});
  private static final byte[] NONCE = RandomValues.bytes(new Random(8), 16);

  private static Trigger wrap(Ncm.Builder message) throws Exception {
    Ncm signed = NcmSigner.sign(message.build(), TestKeys.ed25519().getPrivate());
    return Trigger.sign(signed, TO, DATE, NONCE, TestKeys.ed25519().getPrivate());
  }

  @Test
  void wrapsAMessageOfEachMethod() throws Exception {
    for (Ncm.Builder message :
        new Ncm.Builder[] {Messages.setup(), Messages.remove(), Messages.probe()}) {
      Trigger trigger = wrap(message);
      assertEquals(trigger, Trigger.parse(trigger.print()));
      assertEquals(trigger, Trigger.parse(trigger.print().replace("\n", "\r\n")));
      assertEquals(trigger, Trigger.decode(trigger.encode()));
      assertTrue(trigger.verify(TestKeys.ed25519().getPublic()));
      assertFalse(trigger.verify(TestKeys.otherEd25519().getPublic()));
      NcmRules.check(trigger.message(), false);
    }
  }

  @Test
  void otherSignersInsideAreNoticed() throws Exception {
    Ncm inside = NcmSigner.sign(Messages.setup().build(), TestKeys.otherEd25519().getPrivate());
    Trigger trigger = Trigger.sign(inside, TO, DATE, NONCE, TestKeys.ed25519().getPrivate());
    assertFalse(trigger.verify(TestKeys.ed25519().getPublic()));
    assertFalse(trigger.verify(TestKeys.otherEd25519().getPublic()));
  }

  @Test
  void theWrapperIsSigned() throws Exception {
    String text = wrap(Messages.setup()).print();
    Trigger moved = Trigger.parse(text.replaceFirst("to:203.0.113.7", "to:203.0.113.8"));
    assertFalse(moved.verify(TestKeys.ed25519().getPublic()));
    assertTrue(NcmSigner.verify(moved.message(), TestKeys.ed25519().getPublic()));
  }

  @Test
  void wrapsNothingElse() {
    assertThrows(NcmException.class, () -> wrap(Messages.setup().protocol(Ncm.LEGACY)));
    Ncm.Builder stranger = Ncm.builder(Method.PROBE, "*").set(Header.PROBE, "node");
    NcmException refusal = assertThrows(NcmException.class, () -> wrap(stranger));
    assertEquals("user: missing, TRIGGER needs it", refusal.getMessage());
    Ncm.Builder delegated =
        Messages.setup().set(Header.DELEGATION, Messages.good(Header.DELEGATION));
    NcmException delegate = assertThrows(NcmException.class, () -> wrap(delegated));
    assertEquals("delegation: has no meaning in a message inside TRIGGER", delegate.getMessage());
  }

  @Test
  void oneLevelDeep() throws Exception {
    Trigger trigger = wrap(Messages.probe());
    String head = trigger.print().substring(0, trigger.print().indexOf("\n\n") + 2);
    NcmException text =
        assertThrows(NcmException.class, () -> Trigger.parse(head + trigger.print()));
    assertTrue(text.getMessage().startsWith("request line: "), text.getMessage());
    byte[] outer = trigger.encode();
    int headLength = outer.length - 4 - NcmBinary.encode(trigger.message()).length;
    byte[] twice = Arrays.copyOf(outer, headLength + 4 + outer.length);
    twice[headLength + 2] = (byte) (outer.length >> 8);
    twice[headLength + 3] = (byte) outer.length;
    System.arraycopy(outer, 0, twice, headLength + 4, outer.length);
    NcmException binary = assertThrows(NcmException.class, () -> Trigger.decode(twice));
    assertTrue(binary.getMessage().startsWith("request line: "), binary.getMessage());
  }

  @ParameterizedTest
  @ValueSource(strings = {"user", "date", "nonce", "to", "signature"})
  void missingHeadersAreNamed(String name) throws Exception {
    String text = wrap(Messages.probe()).print().replaceFirst("(?m)^" + name + ":.*\n", "");
    NcmException refusal = assertThrows(NcmException.class, () -> Trigger.parse(text));
    assertEquals(name + ": missing, TRIGGER needs it", refusal.getMessage());
  }

  @ParameterizedTest
  @ValueSource(strings = {"ttl:1", "digest:00", "user:other", "to:x", "bogus:1", "user:janedoe"})
  void badHeadersAreNamed(String line) throws Exception {
    String name = line.substring(0, line.indexOf(':'));
    String whole = wrap(Messages.probe()).print();
    String without =
        line.startsWith("user:janedoe") ? whole : whole.replaceFirst("(?m)^" + name + ":.*\n", "");
    String text = without.replaceFirst("\n", "\n" + line + "\n");
    NcmException refusal = assertThrows(NcmException.class, () -> Trigger.parse(text));
    assertTrue(refusal.getMessage().contains(name), refusal.getMessage());
  }

  @Test
  void theNonceInsideIsAnotherOne() throws Exception {
    Ncm.Builder same = Messages.probe().nonce(NONCE);
    NcmException refusal = assertThrows(NcmException.class, () -> wrap(same));
    assertEquals("nonce: the same as in the message inside", refusal.getMessage());
  }

  @Test
  void everyCutIsRefused() throws Exception {
    Trigger trigger = wrap(Messages.probe());
    byte[] bytes = trigger.encode();
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertEquals(400, assertThrows(NcmException.class, () -> Trigger.decode(cut)).status());
    }
    String text = trigger.print();
    for (int length = 0; length < text.length(); length++) {
      String cut = text.substring(0, length);
      assertEquals(400, assertThrows(NcmException.class, () -> Trigger.parse(cut)).status());
    }
  }
}
