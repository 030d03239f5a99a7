// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

class ContentTest {
  private long taken;
  private long limit = 1 << 20;

  private final Room room =
      new Room() {
        @Override
        public boolean take(long bytes) {
          if (taken + bytes > limit) {
            return false;
          }
          taken += bytes;
          return true;
        }

        @Override
        public void give(long bytes) {
          taken -= bytes;
          assertTrue(taken >= 0, "more is given back than was taken");
        }
      };

  /** A reader that reads at most so much at a time. */
  private static final class Slow implements Content.Reader {
    private final Content content;
    private long at;

    Slow(Content content) {
      this.content = content;
      content.join(this);
    }

    byte[] read(int most) {
      byte[] read = new byte[(int) Math.min(most, content.length() - at)];
      int done = 0;
      while (done < read.length) {
        assertFalse(content.isGone(at));
        int count = Math.min(content.run(at), read.length - done);
        System.arraycopy(content.array(at), content.index(at), read, done, count);
        done += count;
        at += count;
      }
      content.read();
      return read;
    }

    @Override
    public void moved() {}

    @Override
    public long lowest() {
      return at;
    }
  }

  @Test
  void allPiecesAreReadAgainAndTheRoomIsGivenBack() {
    Random random = new Random(16);
    for (int round = 0; round < 300; round++) {
      byte[] bytes = new byte[random.nextInt(80_000)];
      random.nextBytes(bytes);
      Content content = new Content(room, 1 << 20, random.nextBoolean() ? bytes.length : -1);
      int at = 0;
      while (at < bytes.length) {
        int end = Math.min(bytes.length, at + 1 + random.nextInt(20_000));
        content.add(bytes, at, end);
        at = end;
      }
      content.trim();
      content.finish();
      assertTrue(taken <= bytes.length + 64, taken + " bytes for " + bytes.length);
      assertEquals(taken, content.size());
      Slow reader = new Slow(content);
      assertArrayEquals(bytes, reader.read(bytes.length));
      content.disown();
      assertEquals(content.size(), taken, "it is read still");
      content.leave(reader);
      assertEquals(0, taken);
    }
  }

  @Test
  void aWindowKeepsWhatTheSlowestReaderNeeds() {
    Random random = new Random(17);
    Content content = new Content(room, 0, -1);
    Slow fast = new Slow(content);
    Slow slow = new Slow(content);
    byte[] bytes = new byte[1_000_000];
    random.nextBytes(bytes);
    byte[] fastRead = new byte[bytes.length];
    byte[] slowRead = new byte[bytes.length];
    int at = 0;
    while (at < bytes.length) {
      if (content.isFull()) {
        int from = (int) slow.at;
        byte[] piece = slow.read(1 + random.nextInt(30_000));
        System.arraycopy(piece, 0, slowRead, from, piece.length);
      } else {
        int end = Math.min(bytes.length, at + 1 + random.nextInt(9_000));
        content.add(bytes, at, end);
        at = end;
        int from = (int) fast.at;
        byte[] piece = fast.read(Integer.MAX_VALUE);
        System.arraycopy(piece, 0, fastRead, from, piece.length);
      }
      assertTrue(content.length() - slow.at < Content.WINDOW + 9_000);
    }
    int from = (int) slow.at;
    byte[] rest = slow.read(Integer.MAX_VALUE);
    System.arraycopy(rest, 0, slowRead, from, rest.length);
    assertArrayEquals(bytes, fastRead);
    assertArrayEquals(bytes, slowRead);
    assertEquals(0, taken);
  }

  @Test
  void withoutRoomAContentTurnsIntoAWindow() {
    limit = 40_000;
    Content content = new Content(room, 1 << 20, -1);
    Slow reader = new Slow(content);
    byte[] bytes = new byte[30_000];
    content.add(bytes, 0, bytes.length);
    assertTrue(content.isKept());
    content.add(bytes, 0, bytes.length);
    assertFalse(content.isKept());
    assertEquals(0, taken);
    assertEquals(60_000, reader.read(Integer.MAX_VALUE).length);
  }
}
