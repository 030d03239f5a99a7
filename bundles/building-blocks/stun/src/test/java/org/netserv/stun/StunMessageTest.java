// SPDX-License-Identifier: Apache-2.0
package org.netserv.stun;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StunMessageTest {
  private static final String ID = "b7e7a701bc34d686fa87dfae";

  /** In the order in which they may stand. */
  private static final List<StunAttribute> CHECK_VALUES =
      List.of(
          StunAttribute.MESSAGE_INTEGRITY,
          StunAttribute.MESSAGE_INTEGRITY_SHA256,
          StunAttribute.FINGERPRINT);

  private final StunMessage message = new StunMessage();

  private static byte[] stun(String attributes) {
    String body = attributes.replace(" ", "");
    return Vectors.hex("0001" + "%04x".formatted(body.length() / 2) + "2112a442" + ID + body);
  }

  private StunError reset(byte[] bytes) {
    return message.reset(ByteBuffer.wrap(bytes), 0, bytes.length);
  }

  @Test
  void everyMethodAndClassIsReadAsItIsWritten() {
    for (StunMethod method : StunMethod.values()) {
      for (StunClass kind : StunClass.values()) {
        int type = method.type(kind);
        assertEquals(method, StunMethod.ofType(type));
        assertEquals(kind, StunClass.ofType(type));
      }
    }
    assertEquals(0x0101, StunMethod.BINDING.type(StunClass.SUCCESS));
    assertEquals(0x0113, StunMethod.ALLOCATE.type(StunClass.ERROR));
    assertEquals(0x0016, StunMethod.SEND.type(StunClass.INDICATION));
  }

  @Test
  void cutAtEveryLengthIsRefused() {
    for (byte[] vector : Vectors.ALL) {
      for (int cut = 0; cut < vector.length; cut++) {
        StunError error = reset(Arrays.copyOf(vector, cut));
        assertEquals(cut < 20 ? StunError.SHORT : StunError.LENGTH, error, "cut at " + cut);
      }
    }
  }

  /** The header's length goes along with the cut, so that an attribute is what is cut. */
  @Test
  void attributesCutAtEveryLengthAreRefused() {
    for (byte[] vector : Vectors.ALL) {
      int whole = 0;
      for (int cut = 20; cut < vector.length; cut += 4) {
        byte[] bytes = Arrays.copyOf(vector, cut);
        bytes[2] = 0;
        bytes[3] = (byte) (cut - 20);
        whole += reset(bytes) == StunError.OK ? 1 : 0;
      }
      StunMessage all = Vectors.read(vector);
      int boundaries = 0;
      for (int at = all.start() + 20; at < all.end(); at = all.after(at)) {
        boundaries++;
      }
      assertEquals(boundaries, whole);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "8022000874657374, ATTRIBUTE_LENGTH",
    "8022ffff74657374, ATTRIBUTE_LENGTH",
    "80220005 74657374, ATTRIBUTE_LENGTH",
    "000d0002 00000000, VALUE_LENGTH",
    "000d0008 0000000000000000, VALUE_LENGTH",
    "00200004 00010000, VALUE_LENGTH",
    "0020000c 000100000000000000000000, VALUE_LENGTH",
    "00080010 00000000000000000000000000000000, VALUE_LENGTH",
    "001c000c 000000000000000000000000, VALUE_LENGTH",
    "001a0004 00000000, VALUE_LENGTH",
    "000a0003 00010000, VALUE_LENGTH",
    "80280004 00000000 8022000474657374, FINGERPRINT_PLACE",
    "00090002 00040000, VALUE_LENGTH"
  })
  void malformedAttributes(String attributes, StunError error) {
    assertEquals(error, reset(stun(attributes)));
    assertEquals(StunMethod.BINDING, message.method()); // enough to answer 400
  }

  @Test
  void headersThatAreNone() {
    byte[] good = stun("");
    assertEquals(StunError.OK, reset(good));
    for (int[] change : new int[][] {{0, 0x40}, {0, 0x80}}) {
      byte[] bad = good.clone();
      bad[change[0]] |= (byte) change[1];
      assertEquals(StunError.TYPE, reset(bad));
    }
    byte[] bad = good.clone();
    bad[7]++;
    assertEquals(StunError.COOKIE, reset(bad));
    assertFalse(StunMessage.isLikely(ByteBuffer.wrap(bad), 0, 20));
    assertEquals(StunError.LENGTH, reset(Arrays.copyOf(good, 24)));
    assertEquals(StunError.RANGE, message.reset(ByteBuffer.wrap(good), 0, 21));
    assertEquals(StunError.RANGE, message.reset(ByteBuffer.wrap(good), 5, 4));
  }

  @Test
  void nothingBehindACheckValueCountsButTheOtherCheckValues() {
    String integrity = "00080014" + "00".repeat(20);
    String sha256 = "001c0020" + "00".repeat(32);
    assertEquals(
        StunError.OK,
        reset(
            stun(
                "000d000400000001"
                    + integrity
                    + "00060004 61626364"
                    + sha256
                    + "000d0002 0000"
                    + "0000")));
    assertEquals(1, Lifetime.get(message));
    assertFalse(message.has(StunAttribute.USERNAME));
    assertTrue(message.has(StunAttribute.MESSAGE_INTEGRITY_SHA256));
    assertEquals(StunError.OK, reset(stun(sha256 + integrity)));
    assertFalse(message.has(StunAttribute.MESSAGE_INTEGRITY));
  }

  @Test
  void repeatedAttributesAreFoundInOrder() {
    String peer = "00120008 0001000%d 2112a442";
    assertEquals(
        StunError.OK, reset(stun(peer.formatted(1) + "8022000161000000" + peer.formatted(2))));
    StunAddress address = new StunAddress();
    int at = message.find(StunAttribute.XOR_PEER_ADDRESS);
    assertTrue(address.get(message, at));
    assertEquals(0x2113, address.port());
    at = message.next(at);
    assertTrue(address.get(message, at));
    assertEquals(0x2110, address.port());
    assertEquals(-1, message.next(at));
  }

  @Test
  void familyAndLengthHaveToAgree() {
    StunAddress address = new StunAddress();
    assertEquals(StunError.OK, reset(stun("00120008 00020001 2112a442")));
    assertFalse(address.get(message, StunAttribute.XOR_PEER_ADDRESS));
    assertEquals(StunError.OK, reset(stun("00120008 00030001 2112a442")));
    assertFalse(address.get(message, StunAttribute.XOR_PEER_ADDRESS));
  }

  @Test
  void unknownRequiredAttributesAreListed() {
    assertEquals(
        StunError.OK, reset(stun("00030004 00000006 00240004 6e0001ff 80990000 000d000400000001")));
    UnknownAttributes unknown = new UnknownAttributes();
    assertEquals(2, unknown.collect(message, EnumSet.of(StunAttribute.LIFETIME)));
    assertEquals(0x0003, unknown.code(0));
    assertEquals(0x0024, unknown.code(1));
  }

  /** Whatever the bytes are: no exception, and what is OK can be read to its end. */
  @Test
  void mutants() {
    Random random = new Random(8489);
    int sound = 0;
    StunAddress address = new StunAddress();
    for (int round = 0; round < 200_000; round++) {
      byte[] bytes = Vectors.ALL[round % Vectors.ALL.length].clone();
      for (int i = random.nextInt(4); i >= 0; i--) {
        int at = random.nextInt(bytes.length);
        bytes[at] = (byte) (random.nextBoolean() ? random.nextInt(48) : random.nextInt(256));
      }
      if (reset(bytes) != StunError.OK) {
        continue;
      }
      sound++;
      for (StunAttribute type : StunAttribute.values()) {
        for (int at = message.find(type); at >= 0; at = message.next(at)) {
          assertTrue(message.valueEnd(at) <= message.end());
          if (type.mayHave(8) && type.mayHave(20)) {
            address.get(message, at);
          }
        }
      }
      ErrorCode.get(message);
      PasswordAlgorithm.get(message);
      PasswordAlgorithms.firstKnown(message);
      NonceCookie.features(message);
      new UnknownAttributes().get(message);
    }
    assertTrue(sound > 10_000, "only " + sound + " were read");
  }

  /** Writes the attributes that were read into another message, which has the same values then. */
  @Test
  void mutantsWrittenAgain() {
    Random random = new Random(8656);
    ByteBuffer out = ByteBuffer.allocate(300);
    StunWriter writer = new StunWriter();
    StunMessage again = new StunMessage();
    int written = 0;
    for (int round = 0; round < 50_000; round++) {
      byte[] bytes = Vectors.ALL[round % Vectors.ALL.length].clone();
      bytes[20 + random.nextInt(bytes.length - 20)] = (byte) random.nextInt(64);
      if (reset(bytes) != StunError.OK) {
        continue;
      }
      writer.answer(out, 0, 300, message, message.kind());
      for (StunAttribute type : StunAttribute.values()) {
        if (!CHECK_VALUES.contains(type)) {
          StunBytes.put(writer, type, message);
        }
      }
      CHECK_VALUES.forEach(type -> StunBytes.put(writer, type, message));
      assertTrue(writer.fits());
      assertEquals(StunError.OK, again.reset(out, 0, writer.end()));
      assertEquals(message.transactionLow(), again.transactionLow());
      for (StunAttribute type : StunAttribute.values()) {
        assertArrayEquals(StunBytes.copy(message, type), StunBytes.copy(again, type));
        written += again.has(type) ? 1 : 0;
      }
    }
    assertTrue(written > 50_000, "only " + written + " attributes were written");
  }

  @Test
  void nonsense() {
    Random random = new Random(5389);
    byte[] bytes = new byte[96];
    for (int round = 0; round < 200_000; round++) {
      random.nextBytes(bytes);
      int length = random.nextInt(bytes.length);
      ByteBuffer.wrap(bytes)
          .putShort(0, (short) 1)
          .putShort((short) (length - 20))
          .putInt(StunMessage.COOKIE);
      assertNotEquals(StunError.RANGE, message.reset(ByteBuffer.wrap(bytes), 0, length));
    }
  }
}
