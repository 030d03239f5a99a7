// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A path loses all long packets, and tells nobody. */
class BlackHoleTest {
  private static final int MSS = 1_400;
  private static final StreamSettings SETTINGS = new StreamSettings(MSS, 1 << 16, 1 << 16);

  private final List<Long> swallowed = new ArrayList<>(); // times
  private int most = MSS; // bytes of a segment that the path takes
  private Pair pair = begin(1);

  private Pair begin(long seed) {
    Pair made = new Pair(seed, SETTINGS);
    made.drops =
        (from, bytes) -> {
          boolean longer = bytes.length - Segment.HEADER > most;
          if (longer) {
            swallowed.add(pair.now());
          }
          return longer;
        };
    return made;
  }

  private int size() {
    return pair.client.connection.pathSize();
  }

  /** Has the client send some data each second. */
  private void trickle(int seconds) {
    long start = pair.now();
    for (int i = 0; i < seconds; i++) {
      pair.at(start + i * 1_000L, () -> pair.client.write(new byte[10_000], false));
    }
    pair.run(start + seconds * 1_000L);
  }

  /** Two timeouts and one for each further step, which begin with 1 s. */
  @ParameterizedTest
  @CsvSource({"1300, 1200, 3000", "600, 536, 7000"})
  void fromTheBeginning(int limit, int size, long steps) {
    most = limit;
    byte[] bytes = StreamLossTest.random(1, 100_000);
    pair.client.write(bytes, true);
    pair.run(steps - 1);
    assertEquals(0, pair.server.got.size());
    pair.run(steps + 60_000);
    assertEquals(size, size());
    assertArrayEquals(bytes, pair.server.got.toByteArray());
    assertTrue(pair.server.ended);
  }

  @ParameterizedTest
  @ValueSource(ints = {1_250, 560})
  void inTheMiddle(int limit) {
    byte[] bytes = StreamLossTest.random(1, 2_000_000);
    pair.client.write(bytes, true);
    pair.run(300);
    assertEquals(MSS, size());
    most = limit;
    pair.run(5_000); // the first timeouts have 200 ms
    assertTrue(size() <= limit, "size " + size());
    pair.run(120_000);
    assertArrayEquals(bytes, pair.server.got.toByteArray());
  }

  @ParameterizedTest
  @ValueSource(ints = {1_250, 560})
  void withoutSack(int limit) {
    pair.client.connection = Connection.client(SETTINGS, pair.client, 5);
    Peers.meetWithoutSack(pair, SETTINGS); // with an MSS of 900
    most = Math.min(limit, 800);
    byte[] bytes = StreamLossTest.random(1, 100_000);
    pair.server.write(bytes, true);
    pair.run(600_000);
    assertArrayEquals(bytes, pair.client.got.toByteArray());
    assertEquals(536, pair.server.connection.pathSize());
  }

  /** Short segments pass all the time, and tell nothing of the long ones. */
  @Test
  void shortOnesPassBetween() {
    most = 1_300;
    for (int i = 0; i < 1_000; i++) {
      int count = i == 100 ? 5_000 : 100;
      pair.at(i * 30L, () -> pair.client.write(new byte[count], false));
    }
    pair.run(29_000);
    assertEquals(1_200, size());
    pair.run(60_000);
    assertEquals(999 * 100 + 5_000, pair.server.got.size());
  }

  /** A longer segment is tried after 1 s, and then after 30 s, which double. */
  @Test
  void longOnesAreTriedRarely() {
    most = 1_300;
    trickle(4);
    assertEquals(1_200, size());
    swallowed.clear();
    trickle(1_000);
    assertTrue(swallowed.size() >= 5 && swallowed.size() <= 7, "times " + swallowed);
    for (int i = 2; i < swallowed.size(); i++) {
      long last = swallowed.get(i - 1) - swallowed.get(i - 2);
      long pause = swallowed.get(i) - swallowed.get(i - 1);
      assertTrue(pause > last || pause >= PathSize.LONGEST_PAUSE, "times " + swallowed);
    }
    assertEquals(1_004 * 10_000, pair.server.got.size());
  }

  /** Each step up is tried at once behind the last one. */
  @Test
  void thePathIsWellAgain() {
    most = 600;
    trickle(20);
    assertEquals(536, size());
    most = MSS;
    trickle(100);
    assertEquals(MSS, size());
  }

  /** All packets are lost for a while, and the size is what it was soon after that. */
  @Test
  void aDeadPathIsNoBlackHole() {
    trickle(5);
    pair.dead = true;
    trickle(1);
    pair.run(pair.now() + 30_000);
    assertTrue(size() < MSS, "nothing passes");
    pair.dead = false;
    pair.run(pair.now() + 60_000);
    trickle(5);
    assertEquals(MSS, size());
    assertEquals(11 * 10_000, pair.server.got.size());
  }

  /** A segment that is lost three times lets the size shrink for a while at most. */
  @Test
  void lossesAreNoBlackHole() {
    for (int seed = 0; seed < 20; seed++) {
      pair = begin(seed);
      pair.lost = 0.05;
      pair.client.write(StreamLossTest.random(seed, 500_000), false);
      pair.run(600_000);
      assertEquals(500_000, pair.server.got.size());
      pair.lost = 0;
      trickle(5);
      assertEquals(MSS, size(), "seed " + seed);
    }
  }

  /** Another path has no black hole, and a longer segment is tried soon. */
  @Test
  void aMoveBeginsAnew() {
    most = 1_300;
    trickle(60);
    assertEquals(1_200, size());
    most = MSS;
    pair.client.connection.moved(pair.now());
    trickle(5);
    assertEquals(MSS, size());
  }

  /** A black hole and losses at random: every byte comes once. */
  @Test
  void withLosses() {
    for (int seed = 0; seed < 20; seed++) {
      pair = begin(seed);
      most = seed % 2 == 0 ? 1_300 : 600;
      pair.lost = 0.1;
      pair.doubled = 0.1;
      pair.jitter = 30;
      byte[] bytes = StreamLossTest.random(seed, 100_000);
      pair.client.write(bytes, true);
      pair.server.write(bytes, true);
      pair.run(3_600_000);
      assertArrayEquals(bytes, pair.server.got.toByteArray(), "seed " + seed);
      assertArrayEquals(bytes, pair.client.got.toByteArray(), "seed " + seed);
      assertEquals(List.of("close flow", "finished"), pair.client.heard, "seed " + seed);
    }
  }
}
