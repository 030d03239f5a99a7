// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StreamInboxTest implements StreamInbox.Taker {
  private final StreamWork work = new StreamWork();
  private final StreamInbox inbox = new StreamInbox();
  private final List<String> taken = new ArrayList<>();
  private int tooLong;
  private int most = Integer.MAX_VALUE; // messages until the taker has enough

  @Override
  public boolean message(ByteBuffer bytes, int start, int length) {
    taken.add(Messages.hex(bytes, start, length));
    for (int i = start - StreamInbox.HEADROOM; i < start + length; i++) {
      bytes.put(i, (byte) 0xee); // the taker may do that
    }
    return taken.size() < most;
  }

  @Override
  public void tooLong() {
    tooLong++;
  }

  private int feed(byte[] stream, int from, int to) {
    int at = inbox.restore(work.plain);
    work.plain.clear().put(at, stream, from, to - from);
    return inbox.take(work.plain, at + to - from, this);
  }

  private static String hex(byte[] bytes, int length) {
    return HexFormat.of().formatHex(bytes, 0, length);
  }

  private static final byte[][] PARTS = {
    Messages.stun(0),
    Messages.channelData(0x4000, 1),
    Messages.channelData(0x7ffe, 4),
    Messages.channelData(0x4fff, 0),
    Messages.stun(8),
    Messages.channelData(0x4001, 7),
  };

  private static final List<String> EXPECTED =
      List.of(
          hex(PARTS[0], 20),
          hex(PARTS[1], 5),
          hex(PARTS[2], 8),
          hex(PARTS[3], 4),
          hex(PARTS[4], 28),
          hex(PARTS[5], 11));

  @Test
  void aStreamThatIsSplitAtAnyByteHasTheSameMessages() {
    byte[] stream = Messages.joined(PARTS);
    for (int split = 0; split <= stream.length; split++) {
      taken.clear();
      feed(stream, 0, split);
      feed(stream, split, stream.length);
      assertEquals(EXPECTED, taken, "split at " + split);
      assertEquals(0, inbox.count());
    }
  }

  @Test
  void aStreamOfSingleBytesHasTheSameMessages() {
    byte[] stream = Messages.joined(PARTS);
    for (int i = 0; i < stream.length; i++) {
      feed(stream, i, i + 1);
    }
    assertEquals(EXPECTED, taken);
  }

  @Test
  void aMessageThatIsCutIsKept() {
    byte[] stun = Messages.stun(12);
    for (int length = 0; length < stun.length; length++) {
      feed(stun, 0, length);
      assertEquals(length, inbox.count());
      assertEquals(List.of(), taken);
      inbox.restore(work.plain); // forgets it
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"80", "c0", "ff", "0001000121 12a442", "0001000200112233", "000100002112a443"})
  void whatIsNoMessageIsRefused(String hex) {
    byte[] stream = HexFormat.of().parseHex(hex.replace(" ", ""));
    assertEquals(StreamFrames.BROKEN, feed(stream, 0, stream.length));
    assertEquals(List.of(), taken);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 100, 4096, 5000, 70_000})
  void aLongMessageIsPassedOverWithoutBeingStored(int step) {
    byte[] stream =
        Messages.joined(
            Messages.stun(0),
            Messages.channelData(0x4000, 65_535),
            Messages.channelData(0x4000, 4093),
            Messages.stun(4));
    for (int at = 0; at < stream.length; at += Math.min(step, 8192)) {
      feed(stream, at, Math.min(stream.length, at + Math.min(step, 8192)));
      assertTrue(inbox.count() <= StreamInbox.MESSAGE_MOST);
    }
    assertEquals(2, tooLong);
    assertEquals(List.of(hex(Messages.stun(0), 20), hex(Messages.stun(4), 24)), taken);
  }

  @Test
  void aTakerThatHasEnoughGetsNoMore() {
    byte[] stream = Messages.joined(PARTS);
    most = 1;
    assertEquals(StreamInbox.HEADROOM + 20, feed(stream, 0, stream.length));
    assertEquals(1, taken.size());
    assertEquals(0, inbox.count());
  }

  @Test
  void bytesOfChanceDoNoHarm() {
    Random random = new Random(7);
    for (int round = 0; round < 2000; round++) {
      byte[] stream = new byte[random.nextInt(300)];
      random.nextBytes(stream);
      stream = random.nextBoolean() ? stream : Messages.joined(Messages.stun(0), stream);
      int split = random.nextInt(stream.length + 1);
      StreamInbox fresh = new StreamInbox();
      for (int[] part : new int[][] {{0, split}, {split, stream.length}}) {
        int at = fresh.restore(work.plain);
        work.plain.clear().put(at, stream, part[0], part[1] - part[0]);
        if (fresh.take(work.plain, at + part[1] - part[0], this) == StreamFrames.BROKEN) {
          break;
        }
        assertTrue(fresh.count() <= StreamInbox.MESSAGE_MOST);
      }
    }
  }
}
