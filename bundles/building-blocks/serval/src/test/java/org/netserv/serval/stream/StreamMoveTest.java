// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A path that dies in the middle of a transfer, and a move to another one. */
class StreamMoveTest {
  private static final StreamSettings SMALL = new StreamSettings(1_000, 1 << 18, 1 << 18);

  private Pair pair;
  private byte[] up;
  private long window;

  private void transfer(long seed) {
    pair = new Pair(seed, SMALL);
    up = StreamLossTest.random(seed, 3_000_000);
    pair.client.write(up, true);
    pair.run(150);
    window = pair.client.connection.congestionWindow();
    assertTrue(window > 50_000, "window " + window);
  }

  private void move() {
    pair.dead = false;
    pair.client.connection.moved(pair.now());
    pair.server.connection.moved(pair.now());
  }

  private void rest() {
    pair.server.write(new byte[0], true);
    pair.run(pair.now() + 600_000);
    assertArrayEquals(up, pair.server.got.toByteArray());
    assertEquals(List.of("close flow", "finished"), pair.client.heard);
  }

  /** The retransmission does not wait for the timer, and the window is what it was. */
  @ParameterizedTest
  @ValueSource(longs = {20, 50, 300, 1_200, 10_000, 100_000})
  void theRetransmissionLeavesAtOnce(long gap) {
    for (int seed = 0; seed < 10; seed++) {
      transfer(seed);
      pair.dead = true;
      pair.run(pair.now() + gap);
      long sent = pair.segments;
      int got = pair.server.got.size();
      move();
      pair.run(pair.now());
      assertTrue(pair.segments > sent, "at once");
      assertTrue(pair.client.connection.congestionWindow() >= window, "not reduced");
      // The segment may have come before, so that its acknowledgement tells what is missing.
      pair.run(pair.now() + 4 * pair.delay + 10);
      assertTrue(pair.server.got.size() > got, "data again in two round trips");
      assertTrue(pair.client.connection.congestionWindow() >= window, "the losses do not count");
      pair.run(pair.now() + 100);
      assertTrue(pair.client.connection.congestionWindow() >= window, "nor later");
      rest();
    }
  }

  /** The old path lives on, and its segments still come. Little is sent twice. */
  @Test
  void aMoveWithBothPathsAlive() {
    transfer(1);
    move();
    rest();
    long copies = pair.server.verdicts.stream().filter(StreamVerdict.DUPLICATE::equals).count();
    assertTrue(copies <= 2, "copies " + copies);
  }

  /** While the peer's new address is not confirmed, no timer fires. */
  @Test
  void aFrozenTimer() {
    transfer(1);
    pair.dead = true;
    pair.run(pair.now() + 30); // the acknowledgements under way have come
    pair.client.connection.freeze();
    long sent = pair.segments;
    pair.run(pair.now() + 100_000);
    assertEquals(sent, pair.segments);
    move();
    pair.run(pair.now());
    assertTrue(pair.segments > sent);
    rest();
  }

  /** Losses on the new path reduce the window like any other. */
  @Test
  void lossesAfterTheMoveCount() {
    transfer(1);
    move();
    pair.run(pair.now() + 50);
    pair.lost = 0.2;
    pair.run(pair.now() + 300);
    assertTrue(pair.client.connection.congestionWindow() < window);
    pair.lost = 0;
    rest();
  }

  @Test
  void movesInALossyTransfer() {
    for (int seed = 0; seed < 40; seed++) {
      transfer(seed);
      pair.lost = 0.1;
      pair.doubled = 0.1;
      pair.jitter = 40;
      for (int i = 0; i < 5; i++) {
        pair.run(pair.now() + pair.random.nextInt(2_000));
        pair.dead = true;
        pair.run(pair.now() + pair.random.nextInt(2_000));
        move();
      }
      pair.lost = 0.01;
      rest();
    }
  }

  /** A probe of a closed window leaves at once, too. */
  @Test
  void aMoveWithAClosedWindow() {
    pair = new Pair(1, SMALL);
    pair.server.reads = false;
    up = StreamLossTest.random(1, 1_000_000);
    pair.client.write(up, true);
    pair.run(20_000);
    pair.dead = true;
    pair.server.reads = true;
    pair.server.read(); // the window's update is lost
    pair.run(pair.now() + 30_000);
    int got = pair.server.got.size();
    move();
    pair.run(pair.now() + 3 * pair.delay);
    assertTrue(pair.server.got.size() > got);
    rest();
  }
}
