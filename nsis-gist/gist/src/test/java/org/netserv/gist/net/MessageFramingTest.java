// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.TooLongFrameException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Messages out of a stream, however it is cut. */
class MessageFramingTest {
  private static final int MAX = 1024;

  private int cuts;
  private final EmbeddedChannel channel =
      new EmbeddedChannel(new MessageFraming(MAX, () -> cuts++));

  /** A message of that many words after its header. */
  static byte[] message(int words, int seed) {
    byte[] message = new byte[8 + 4 * words];
    new Random(seed).nextBytes(message);
    message[0] = 1;
    message[2] = (byte) (words >> 8);
    message[3] = (byte) words;
    return message;
  }

  private List<byte[]> read() {
    List<byte[]> all = new ArrayList<>();
    for (ByteBuf one = channel.readInbound(); one != null; one = channel.readInbound()) {
      all.add(ByteBufUtil.getBytes(one));
      one.release();
    }
    return all;
  }

  private void feed(byte[] bytes) {
    channel.writeInbound(Unpooled.copiedBuffer(bytes));
  }

  private static byte[] join(byte[]... messages) {
    ByteBuf all = Unpooled.buffer();
    for (byte[] message : messages) {
      all.writeBytes(message);
    }
    return ByteBufUtil.getBytes(all);
  }

  private static void assertMessages(List<byte[]> messages, byte[]... expected) {
    assertEquals(expected.length, messages.size());
    for (int i = 0; i < expected.length; i++) {
      assertArrayEquals(expected[i], messages.get(i));
    }
  }

  @Test
  void splitAtEveryByte() {
    byte[] first = message(3, 1);
    byte[] second = message(0, 2);
    byte[] third = message(5, 3);
    byte[] stream = join(first, second, third);
    for (int at = 0; at <= stream.length; at++) {
      feed(Arrays.copyOf(stream, at));
      feed(Arrays.copyOfRange(stream, at, stream.length));
      assertMessages(read(), first, second, third);
    }
  }

  @Test
  void oneByteAtATime() {
    byte[] first = message(3, 1);
    byte[] second = message(0, 2);
    for (byte one : join(first, second)) {
      feed(new byte[] {one});
    }
    assertMessages(read(), first, second);
  }

  @Test
  void lengthZeroIsAHeaderAlone() {
    byte[] message = message(0, 4);
    feed(message);
    assertMessages(read(), message);
  }

  @Test
  void theLongestIsTakenAndOneWordMoreIsRefusedByItsLength() {
    byte[] longest = message((MAX - 8) / 4, 5);
    feed(longest);
    assertMessages(read(), longest);
    byte[] longer = message((MAX - 8) / 4 + 1, 6);
    // Nothing of it is kept: four bytes are enough.
    assertThrows(TooLongFrameException.class, () -> feed(Arrays.copyOf(longer, 4)));
    assertNull(channel.readInbound());
  }

  @Test
  void theLongestThatTheHeaderCanSayIsRefused() {
    byte[] header = {1, 1, (byte) 0xff, (byte) 0xff, 0, 0, 3, (byte) 0x80};
    assertThrows(TooLongFrameException.class, () -> feed(header));
  }

  @Test
  void anEndWithinAMessageIsTold() {
    feed(Arrays.copyOf(message(3, 7), 19));
    assertFalse(channel.finish());
    assertEquals(1, cuts);
  }

  @Test
  void anEndBetweenMessagesIsNot() {
    feed(message(3, 8));
    read();
    channel.finish();
    assertEquals(0, cuts);
  }
}
