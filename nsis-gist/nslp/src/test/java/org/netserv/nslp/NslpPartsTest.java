// SPDX-License-Identifier: Apache-2.0
package org.netserv.nslp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.netserv.ncm.PathEnd;
import org.netserv.ncm.ResponseEntry;
import org.netserv.ncm.ResponseStack;
import org.netserv.nslp.NslpMessage.Request;
import org.netserv.nslp.NslpMessage.Response;
import org.netserv.values.Addresses;
import org.netserv.values.BadValueException;
import org.netserv.values.NodeIdentity;

class NslpPartsTest {
  private static final RequestId ID = new RequestId(new byte[16]);

  private final NslpParts parts = new NslpParts();

  private static Response longest() throws Exception {
    NodeIdentity node = NodeIdentity.generate(new SecureRandom());
    ResponseEntry entry =
        ResponseStack.EMPTY
            .push(node, new byte[16], Addresses.of(new byte[4]), 200, "x".repeat(4000))
            .entries()
            .get(0);
    ResponseStack fifteen = ResponseStack.of(Collections.nCopies(15, entry));
    ResponseStack seven = ResponseStack.of(Collections.nCopies(7, entry));
    return new Response(ID, fifteen, PathEnd.ENDPOINT, seven, PathEnd.ENDPOINT, "");
  }

  private static byte[] padded(byte[] bytes) {
    return Arrays.copyOf(bytes, (bytes.length + 3) / 4 * 4);
  }

  @Test
  void aShortMessageIsItsOnlyPart() throws Exception {
    byte[] message = new Request(ID, 1000, new byte[100]).encode();
    assertEquals(1, NslpParts.split(message).size());
    assertArrayEquals(message, NslpParts.split(message).get(0));
    assertEquals(NslpMessage.decode(message), parts.join("a", padded(message), 0).orElseThrow());
  }

  /** A message of 16,380 bytes is whole, one more byte makes two parts. */
  @Test
  void theBoundary() throws Exception {
    int ncm = NslpParts.MAX_PART - NslpMessage.HEAD - 20 - 8 - 4;
    byte[] fits = new Request(ID, 1000, new byte[ncm]).encode();
    assertEquals(NslpParts.MAX_PART, fits.length);
    assertEquals(1, NslpParts.split(fits).size());
    byte[] message = new Request(ID, 1000, new byte[ncm + 1]).encode();
    List<byte[]> two = NslpParts.split(message);
    assertEquals(2, two.size());
    assertEquals(NslpParts.MAX_PART, two.get(0).length);
    assertArrayEquals(
        new byte[] {1, 1, 0, 1, 0, 0, 0x3f, (byte) 0xf4}, Arrays.copyOf(two.get(0), 8));
    // One byte is left, and a header.
    assertArrayEquals(new byte[] {1, 1, 1, 1, 0, 0, 0, 1, 0}, two.get(1));
    assertEquals(Optional.empty(), parts.join("a", two.get(0), 0));
    assertEquals(NslpMessage.decode(message), parts.join("a", padded(two.get(1)), 0).orElseThrow());
    assertEquals(0, parts.waiting());
  }

  @Test
  void theLongestMessage() throws Exception {
    Response longest = longest();
    assertTrue(longest.encode().length > 90_000);
    List<byte[]> split = NslpParts.split(longest.encode());
    assertEquals(6, split.size());
    for (int i = 0; i < split.size(); i++) {
      assertTrue(split.get(i).length <= NslpParts.MAX_PART);
      Optional<NslpMessage> joined = parts.join("a", padded(split.get(i)), 0);
      assertEquals(i == split.size() - 1, joined.isPresent());
      joined.ifPresent(message -> assertEquals(longest, message));
    }
    assertTrue(NslpMessage.MAX_TLVS <= NslpParts.MAX_PARTS * (NslpParts.MAX_PART - 8));
  }

  @Test
  void streamsDoNotMix() throws Exception {
    List<byte[]> split = NslpParts.split(longest().encode());
    for (byte[] part : split.subList(0, 5)) {
      assertTrue(parts.join("a", part, 0).isEmpty());
      assertTrue(parts.join("b", part, 0).isEmpty());
    }
    assertTrue(parts.join("b", split.get(5), 0).isPresent());
    assertTrue(parts.join("a", split.get(5), 0).isPresent());
    assertEquals(0, parts.waiting());
  }

  @Test
  void aPartThatDoesNotFollowEndsIt() throws Exception {
    List<byte[]> split = NslpParts.split(longest().encode());
    assertThrows(BadValueException.class, () -> parts.join("a", split.get(1), 0));
    parts.join("a", split.get(0), 0);
    assertThrows(BadValueException.class, () -> parts.join("a", split.get(2), 0));
    assertEquals(0, parts.waiting());
    assertThrows(BadValueException.class, () -> parts.join("a", split.get(1), 0));
    parts.join("a", split.get(0), 0);
    byte[] otherKind = split.get(1).clone();
    otherKind[1] = 1;
    assertThrows(BadValueException.class, () -> parts.join("a", otherKind, 0));
    parts.join("a", split.get(0), 0);
    byte[] otherLast = split.get(1).clone();
    otherLast[3] = 4;
    assertThrows(BadValueException.class, () -> parts.join("a", otherLast, 0));
  }

  /** The sender lost its association and begins again. */
  @Test
  void partZeroBeginsAgain() throws Exception {
    Response longest = longest();
    List<byte[]> split = NslpParts.split(longest.encode());
    parts.join("a", split.get(0), 0);
    parts.join("a", split.get(1), 0);
    for (byte[] part : split.subList(0, 5)) {
      assertTrue(parts.join("a", part, 0).isEmpty());
    }
    assertEquals(longest, NslpMessage.decode(NslpMessage.RESPONSE, tlvs(split)));
    assertEquals(longest, parts.join("a", split.get(5), 0).orElseThrow());
  }

  private static byte[] tlvs(List<byte[]> split) {
    ByteBuffer all = ByteBuffer.allocate(NslpMessage.MAX_TLVS);
    split.forEach(part -> all.put(part, NslpMessage.HEAD, part.length - NslpMessage.HEAD));
    return Arrays.copyOf(all.array(), all.position());
  }

  @Test
  void boundedInTime() throws Exception {
    List<byte[]> split = NslpParts.split(longest().encode());
    parts.join("a", split.get(0), 0);
    assertTrue(parts.waiting() > 0);
    assertThrows(BadValueException.class, () -> parts.join("a", split.get(1), NslpParts.MILLIS));
    assertEquals(0, parts.waiting());
  }

  @Test
  void boundedInBytes() throws Exception {
    List<byte[]> split = NslpParts.split(longest().encode());
    for (int i = 0; i < 1000; i++) {
      parts.join(i, split.get(0), 0);
      assertTrue(parts.waiting() <= 4 << 20);
    }
    assertThrows(BadValueException.class, () -> parts.join(0, split.get(1), 0));
    assertTrue(parts.join(999, split.get(1), 0).isEmpty());
  }

  @Test
  void moreThanTheLimitIsRefused() throws Exception {
    byte[] part = new byte[NslpParts.MAX_PART];
    ByteBuffer.wrap(part).put((byte) 1).put((byte) 2).put((byte) 0).put((byte) 6).putInt(16_372);
    for (int i = 0; i < 6; i++) {
      part[2] = (byte) i;
      assertTrue(parts.join("a", part, 0).isEmpty());
    }
    part[2] = 6;
    assertThrows(BadValueException.class, () -> parts.join("a", part, 0));
    assertEquals(0, parts.waiting());
    part[3] = 7;
    assertThrows(BadValueException.class, () -> parts.join("a", part, 0));
  }

  @Test
  void noiseNeverThrowsAnythingElse() throws Exception {
    Random random = new Random(13);
    List<byte[]> split = NslpParts.split(longest().encode());
    int refused = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] part = split.get(random.nextInt(split.size())).clone();
      part[random.nextInt(12)] = (byte) random.nextInt(256);
      try {
        assertFalse(parts.join(random.nextInt(3), part, i).isPresent() && part.length == 0);
      } catch (BadValueException e) {
        refused++;
      }
    }
    assertTrue(refused > 1000, refused + " refused");
  }
}
