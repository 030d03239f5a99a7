// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.netserv.stun.StunAttribute.MESSAGE_INTEGRITY;
import static org.netserv.stun.StunAttribute.MESSAGE_INTEGRITY_SHA256;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class VectorsTest {
  private final Integrity integrity = new Integrity();
  private final Fingerprint fingerprint = new Fingerprint();
  private final StunKey shortTerm = StunKey.shortTerm("VOkJxbRl1RmTxUk/WvJxBt");

  private static StunKey longTerm(PasswordAlgorithm algorithm) {
    return StunKey.longTerm(Vectors.USERNAME, Vectors.REALM, Vectors.PASSWORD, algorithm);
  }

  @Test
  void request() {
    StunMessage message = Vectors.read(Vectors.REQUEST);
    assertTrue(message.is(StunMethod.BINDING, StunClass.REQUEST));
    assertEquals(0xb7e7a701, message.transactionHigh());
    assertEquals(0xbc34d686fa87dfaeL, message.transactionLow());
    assertEquals("STUN test client", StunBytes.text(message, StunAttribute.SOFTWARE));
    assertEquals("evtj:h6vY", StunBytes.text(message, StunAttribute.USERNAME));
    assertTrue(integrity.holds(message, MESSAGE_INTEGRITY, shortTerm));
    assertTrue(fingerprint.holds(message));
  }

  @Test
  void responses() {
    StunAddress address = new StunAddress();
    StunMessage four = Vectors.read(Vectors.RESPONSE4);
    assertTrue(four.is(StunMethod.BINDING, StunClass.SUCCESS));
    assertTrue(address.get(four, StunAttribute.XOR_MAPPED_ADDRESS));
    assertEquals(AddressFamily.IPV4, address.family());
    assertEquals(0xffffc0000201L, address.low());
    assertEquals(32853, address.port());
    StunMessage six = Vectors.read(Vectors.RESPONSE6);
    assertTrue(address.get(six, StunAttribute.XOR_MAPPED_ADDRESS));
    assertEquals(AddressFamily.IPV6, address.family());
    assertEquals(0x20010db812345678L, address.high());
    assertEquals(0x0011223344556677L, address.low());
    assertEquals(32853, address.port());
    for (StunMessage message : new StunMessage[] {four, six}) {
      assertEquals("test vector", StunBytes.text(message, StunAttribute.SOFTWARE));
      assertTrue(integrity.holds(message, MESSAGE_INTEGRITY, shortTerm));
      assertTrue(fingerprint.holds(message));
    }
  }

  @Test
  void longTerm() {
    StunMessage message = Vectors.read(Vectors.LONG_TERM);
    assertEquals(Vectors.USERNAME, StunBytes.text(message, StunAttribute.USERNAME));
    assertEquals("f//499k954d6OL34oL9FSTvy64sA", StunBytes.text(message, StunAttribute.NONCE));
    assertEquals(Vectors.REALM, StunBytes.text(message, StunAttribute.REALM));
    assertTrue(integrity.holds(message, MESSAGE_INTEGRITY, longTerm(PasswordAlgorithm.MD5)));
    assertFalse(integrity.holds(message, MESSAGE_INTEGRITY, longTerm(PasswordAlgorithm.SHA256)));
    assertFalse(fingerprint.holds(message));
    assertEquals(0, NonceCookie.features(message));
  }

  @Test
  void longTermWithSha256() {
    StunMessage message = Vectors.read(Vectors.LONG_TERM_256);
    StunKey key = longTerm(PasswordAlgorithm.SHA256);
    assertTrue(UserHash.is(message, UserHash.of(Vectors.USERNAME, Vectors.REALM)));
    assertSame(PasswordAlgorithm.SHA256, PasswordAlgorithm.get(message));
    assertTrue(integrity.holds(message, MESSAGE_INTEGRITY_SHA256, key));
    byte[] printed = Vectors.PRINTED_256;
    assertArrayEquals(
        Vectors.PRINTED_256_VALUE,
        new Hmac(Hmac.SHA256).begin(key).add(printed, 0, printed.length).end());
  }

  @Test
  void md5KeyOfTheText() { // RFC 8489, 9.2.2
    StunKey expected = StunKey.of(Vectors.hex("8493fbc53ba582fb4c044c456bdc40eb"));
    StunKey made = StunKey.longTerm("user", "realm", "pass", PasswordAlgorithm.MD5);
    assertArrayEquals(expected.inner(Hmac.SHA1), made.inner(Hmac.SHA1));
  }

  /** Everything that the vectors have is written again, byte for byte but for the padding. */
  @Test
  void writtenAgain() {
    ByteBuffer out = ByteBuffer.allocate(200);
    StunMessage six = Vectors.read(Vectors.RESPONSE6);
    StunWriter writer =
        new StunWriter()
            .begin(
                out,
                0,
                200,
                StunMethod.BINDING,
                StunClass.SUCCESS,
                six.transactionHigh(),
                six.transactionLow());
    StunBytes.put(writer, StunAttribute.SOFTWARE, six);
    out.put(writer.end() - 1, (byte) ' ');
    StunAddress.put(
        writer, StunAttribute.XOR_MAPPED_ADDRESS, 0x20010db812345678L, 0x0011223344556677L, 32853);
    integrity.put(writer, MESSAGE_INTEGRITY, shortTerm);
    fingerprint.put(writer);
    assertTrue(writer.fits());
    byte[] written = new byte[writer.length()];
    out.get(0, written);
    assertArrayEquals(Vectors.RESPONSE6, written);
  }
}
