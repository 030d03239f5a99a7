// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests the common header: its fields, its faults (code 1), and the magic number. */
class HeaderTest {
  private static final int C = 0x80; // in the sixth byte
  private static final int S = 0x80; // in the seventh
  private static final int R = 0x40;
  private static final int E = 0x20;

  @Test
  void peekTellsEveryField() {
    byte[] bytes = HexFormat.of().parseHex("0203fffe7fc183e0");
    RawHeader header = CommonHeader.peek(bytes).orElseThrow();
    assertEquals(new RawHeader(2, 3, 65534, 32705, 3, true, true, true, true), header);
    assertEquals(8 + 4 * 65534, header.totalBytes());
    assertFalse(header.supported());
    assertTrue(header.is(MessageType.DATA));
    assertEquals(Optional.empty(), CommonHeader.peek(Arrays.copyOf(bytes, 7)));
    assertEquals(Optional.empty(), RawHeader.read(bytes, 1));
    assertEquals(Optional.empty(), RawHeader.read(bytes, -1));
  }

  @Test
  void reservedBitsDoNotCount() throws MalformedMessageException {
    byte[] bytes = Vectors.bytes("query");
    GistMessage message = GistMessage.decode(bytes);
    bytes[7] |= 0x1f;
    assertEquals(message, GistMessage.decode(bytes));
  }

  @Test
  void versionAndType() {
    for (int version : new int[] {0, 2, 255}) {
      assertEquals(
          GistError.UNKNOWN_VERSION, Edited.of("query").header(0, version).refused().error());
    }
    for (int type : new int[] {6, 56, 127}) {
      assertEquals(
          GistError.UNKNOWN_TYPE, Edited.of("query").header(6, C | type).refused().error());
    }
  }

  @Test
  void flagsFitTheType() throws MalformedMessageException {
    for (String name : Vectors.MESSAGES) {
      byte[] bytes = Vectors.bytes(name);
      MessageType type = GistMessage.decode(bytes).type();
      boolean query = type == MessageType.QUERY;
      boolean data = type == MessageType.DATA;
      boolean cookie = name.equals("response-stack");
      boolean hello = type == MessageType.MA_HELLO;
      flipped(name, 6, C, data ? null : GistError.INVALID_C_FLAG);
      flipped(name, 7, E, data ? null : GistError.INVALID_E_FLAG);
      flipped(name, 7, S, null);
      boolean free = hello || (type == MessageType.RESPONSE && !cookie);
      flipped(name, 7, R, free ? null : GistError.INVALID_R_FLAG);
      assertTrue(!query || (bytes[7] & R) != 0);
    }
  }

  private static void flipped(String name, int at, int flag, GistError expected)
      throws MalformedMessageException {
    byte[] bytes = Vectors.bytes(name);
    bytes[at] ^= (byte) flag;
    if (expected == null) {
      assertArrayEquals(bytes, GistMessage.decode(bytes).encode(), name);
    } else {
      assertEquals(expected, Edited.refused(bytes).error(), name);
    }
  }

  @Test
  void lengthIsExactBothWays() {
    for (String name : Vectors.MESSAGES) {
      byte[] bytes = Vectors.bytes(name);
      int words = (bytes.length - 8) / 4;
      for (int wrong : new int[] {0, words - 1, words + 1, 65535}) {
        byte[] copy = bytes.clone();
        NetworkOrder.put16(copy, 2, wrong);
        MalformedMessageException e = Edited.refused(copy);
        assertEquals(GistError.INCORRECT_MESSAGE_LENGTH, e.error(), name);
        assertEquals(List.of(ErrorInfo.messageLength(words)), e.info(), name);
      }
    }
  }

  @Test
  void everyTruncationIsAWrongLength() {
    for (byte[] bytes : Vectors.all()) {
      for (int length = 0; length < bytes.length; length++) {
        MalformedMessageException e = Edited.refused(Arrays.copyOf(bytes, length));
        assertEquals(GistError.INCORRECT_MESSAGE_LENGTH, e.error());
        assertEquals(1, e.info().size());
        assertEquals(length < 8, e.offending().header() == null);
      }
      assertEquals(
          GistError.INCORRECT_MESSAGE_LENGTH,
          Edited.refused(Arrays.copyOf(bytes, bytes.length + 1)).error());
    }
  }

  /**
   * A message is cut short, and the header's length is made to fit. Then the last object does not
   * fit.
   */
  @Test
  void truncationWithAMatchingLength() throws MalformedMessageException {
    for (byte[] bytes : Vectors.all()) {
      for (int length = 8; length < bytes.length; length += 4) {
        byte[] copy = Arrays.copyOf(bytes, length);
        NetworkOrder.put16(copy, 2, (length - 8) / 4);
        try {
          GistMessage message = GistMessage.decode(copy);
          // An optional object was the last one, and is gone as a whole.
          assertTrue(message.objects().size() < GistMessage.decode(bytes).objects().size());
        } catch (MalformedMessageException e) {
          assertEquals(
              tiles(copy) ? GistError.MISSING_OBJECT : GistError.INCORRECT_MESSAGE_LENGTH,
              e.error());
        }
      }
    }
  }

  private static boolean tiles(byte[] bytes) {
    int at = 8;
    while (at < bytes.length) {
      at = RawMessage.endOfObject(bytes, at);
    }
    return at == bytes.length;
  }

  /**
   * The last object claims 4095 words. The calculated length adds the claimed words to the real
   * ones.
   */
  @Test
  void calculatedLengthCountsClaims() {
    byte[] bytes = Vectors.bytes("query");
    NetworkOrder.put16(bytes, bytes.length - 10, 0xfff);
    assertEquals(
        List.of(ErrorInfo.messageLength((bytes.length - 8) / 4 - 2 + 0xfff)),
        Edited.refused(bytes).info());
  }

  /** Lengths and counts at their largest, in messages of a hundred bytes. */
  @Test
  void claimsDoNotAllocate() {
    List<byte[]> claims = new ArrayList<>();
    for (byte[] bytes : Vectors.all()) {
      for (int at = 2; at < bytes.length; at += 2) {
        byte[] copy = bytes.clone();
        NetworkOrder.put16(copy, at, 0xffff);
        claims.add(copy);
      }
    }
    claims.forEach(HeaderTest::tryDecode); // classes are loaded now
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    for (byte[] claim : claims) {
      long before = threads.getCurrentThreadAllocatedBytes();
      tryDecode(claim);
      long allocated = threads.getCurrentThreadAllocatedBytes() - before;
      assertTrue(allocated < 16_000, () -> allocated + " bytes for " + hex(claim));
    }
  }

  private static void tryDecode(byte[] bytes) {
    try {
      GistMessage.decode(bytes);
    } catch (MalformedMessageException e) {
      assertNotNull(e.error());
    }
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  @Test
  void code1RepeatsNeitherSessionNorMriButKeepsTheWayBack() throws MalformedMessageException {
    byte[] bytes = Edited.of("query").header(7, R | E).bytes();
    MalformedMessageException e = Edited.refused(bytes);
    assertEquals(GistError.INVALID_E_FLAG, e.error());
    assertEquals(
        GistMessage.decode(Vectors.bytes("query")).find(NetworkLayerInfo.class).orElseThrow(),
        e.offending().source());
    ErrorObject error =
        ErrorMessages.object(e.error(), e.offending(), Encapsulation.Q_MODE, e.info(), "");
    assertNull(error.session());
    assertNull(error.mri());
    assertArrayEquals(Arrays.copyOf(bytes, 8), error.header());
  }

  @Test
  void magic() {
    byte[] message = Vectors.bytes("hello");
    byte[] payload = Magic.wrap(message);
    assertEquals("4e04bda5", HexFormat.of().formatHex(payload, 0, 4));
    assertArrayEquals(message, Magic.strip(payload).orElseThrow());
    assertEquals(0, Magic.strip(Magic.wrap(new byte[0])).orElseThrow().length);
    for (int bit = 0; bit < 32; bit++) {
      byte[] wrong = payload.clone();
      wrong[bit / 8] ^= (byte) (1 << bit % 8);
      assertEquals(Optional.empty(), Magic.strip(wrong));
    }
    for (int length = 0; length < 4; length++) {
      assertEquals(Optional.empty(), Magic.strip(Arrays.copyOf(payload, length)));
    }
  }

  @Test
  void whatDoesNotFitTheHeaderIsNotBuilt() {
    assertThrows(
        IllegalArgumentException.class,
        () -> new CommonHeader(256, 0, MessageType.DATA, false, true, false, false));
    assertThrows(
        IllegalArgumentException.class,
        () -> new CommonHeader(1, 65536, MessageType.DATA, false, true, false, false));
    NslpData big = new NslpData(new byte[NslpData.MAX_BYTES]);
    GistMessage message =
        new GistMessage(
            new CommonHeader(1, 0, MessageType.DATA, false, true, false, false),
            Collections.nCopies(17, big));
    assertThrows(IllegalArgumentException.class, message::encode);
  }
}
