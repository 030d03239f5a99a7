// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Transfers over a network that loses, doubles and reorders: every byte comes once, in order. */
class StreamLossTest {
  private static final StreamSettings SMALL = new StreamSettings(1_000, 1 << 16, 1 << 16);

  static byte[] random(long seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, 0, 5",
    "0, 0, 100, 10",
    "0.01, 0, 0, 20",
    "0.05, 0.05, 30, 30",
    "0.3, 0.3, 200, 40"
  })
  void everyByteComesOnceInOrder(double lost, double doubled, long jitter, int seeds) {
    for (int seed = 0; seed < seeds; seed++) {
      String run = "seed " + seed;
      Pair pair = new Pair(seed, SMALL);
      pair.lost = lost;
      pair.doubled = doubled;
      pair.jitter = jitter;
      byte[] up = random(seed, 1 + pair.random.nextInt(300_000));
      byte[] down = random(seed + 1_000, 1 + pair.random.nextInt(300_000));
      pair.client.write(up, true);
      pair.server.write(down, true);
      pair.run(3_600_000);
      assertArrayEquals(up, pair.server.got.toByteArray(), run);
      assertArrayEquals(down, pair.client.got.toByteArray(), run);
      for (StreamEndpoint end : List.of(pair.client, pair.server)) {
        assertTrue(end.ended, run);
        assertEquals(List.of("close flow", "finished"), end.heard, run);
        assertEquals(0, end.connection.unexpected(), run);
        assertTrue(end.largest <= 2 << 16, run + ": " + end.largest);
      }
    }
  }

  /** Without loss nothing is sent twice, and a segment has an acknowledgement at most. */
  @Test
  void withoutLossNothingIsSentTwice() {
    Pair pair = new Pair(1, SMALL);
    byte[] up = random(1, 1_000_000);
    pair.client.write(up, true);
    pair.run(60_000);
    assertArrayEquals(up, pair.server.got.toByteArray());
    assertFalse(pair.server.verdicts.contains(StreamVerdict.DUPLICATE));
    assertTrue(pair.segments < 2_100, "segments " + pair.segments);
  }

  /** Reordering of less than a round trip makes few retransmissions. */
  @Test
  void reorderingIsLearned() {
    int repeated = 0;
    for (int seed = 0; seed < 20; seed++) {
      Pair pair = new Pair(seed, SMALL);
      pair.jitter = 15;
      pair.client.write(random(seed, 500_000), true);
      pair.run(120_000);
      assertEquals(500_000, pair.server.got.size());
      repeated +=
          (int) pair.server.verdicts.stream().filter(StreamVerdict.DUPLICATE::equals).count();
    }
    assertTrue(repeated < 20 * 500 / 10, "repeated " + repeated + " of 10,000");
  }

  /** A peer without SACK and scale, as the published stack is. */
  @ParameterizedTest
  @CsvSource({"0", "0.02", "0.2"})
  void withoutSackAndScale(double lost) {
    for (int seed = 0; seed < 20; seed++) {
      String run = "seed " + seed + " lost " + lost;
      Pair pair = new Pair(seed, SMALL);
      pair.client.connection = Connection.client(SMALL, pair.client, seed);
      Peers.meetWithoutSack(pair, SMALL);
      assertFalse(pair.client.connection.sending().sack());
      pair.lost = lost;
      byte[] up = random(seed, 200_000);
      pair.client.write(up, true);
      pair.server.write(up, true);
      pair.run(3_600_000);
      assertArrayEquals(up, pair.server.got.toByteArray(), run);
      assertArrayEquals(up, pair.client.got.toByteArray(), run);
      assertEquals(List.of("close flow", "finished"), pair.server.heard, run);
    }
  }

  @Test
  void aPathThatIsDeadEndsSilently() {
    Pair pair = new Pair(3, SMALL);
    pair.dead = true;
    pair.client.write(new byte[10], false);
    pair.run(3_600_000);
    assertEquals(List.of("abort flow", "silent"), pair.client.heard);
    assertEquals(1 + SendTimers.TRIES, pair.segments);
    assertEquals(0, pair.client.connection.memory());
  }

  /** A receiver that does not read closes the window, and probes find it open again. */
  @ParameterizedTest
  @CsvSource({"0", "0.3"})
  void windowProbes(double lost) {
    for (int seed = 0; seed < 20; seed++) {
      Pair pair = new Pair(seed, SMALL);
      pair.lost = lost;
      byte[] up = random(seed, 400_000);
      pair.server.reads = false;
      pair.client.write(up, true);
      pair.run(600_000);
      assertEquals(1 << 16, pair.server.connection.readable());
      assertTrue(pair.client.heard.isEmpty(), "the probes are answered: " + pair.client.heard);
      pair.server.reads = true;
      pair.server.read();
      pair.run(3_600_000);
      assertArrayEquals(up, pair.server.got.toByteArray());
    }
  }

  /** One end has sent all, and the other goes on for hours. */
  @Test
  void halfClose() {
    Pair pair = new Pair(7, SMALL);
    pair.client.write(random(1, 10_000), true);
    pair.run(10_000_000);
    assertTrue(pair.server.ended);
    assertEquals("FIN_WAIT_2", pair.client.connection.state());
    assertEquals("CLOSE_WAIT", pair.server.connection.state());
    byte[] down = random(2, 200_000);
    pair.server.write(down, true);
    pair.run(20_000_000);
    assertArrayEquals(down, pair.client.got.toByteArray());
    assertEquals("TIME_WAIT", pair.client.connection.state());
    assertEquals("CLOSED", pair.server.connection.state());
  }

  @Test
  void bothCloseAtOnce() {
    Pair pair = new Pair(7, SMALL);
    pair.client.write(new byte[5], true);
    pair.server.write(new byte[6], true);
    pair.run(10_000);
    assertEquals("TIME_WAIT", pair.client.connection.state());
    assertEquals("TIME_WAIT", pair.server.connection.state());
  }

  @Test
  void closeWithUnreadDataBreaksOff() {
    Pair pair = new Pair(7, SMALL);
    pair.server.reads = false;
    pair.client.write(new byte[5], false);
    pair.run(1_000);
    pair.server.connection.close(pair.now());
    assertEquals(List.of("abort flow"), pair.server.heard);
  }

  /** Data for a program that has closed break the stream off, and silence of the peer ends it. */
  @Test
  void closeReadsNoMore() {
    Pair pair = new Pair(7, SMALL);
    pair.server.connection.close(pair.now());
    pair.run(1_000);
    assertEquals("CLOSE_WAIT", pair.client.connection.state());
    pair.run(Connection.WAIT);
    assertTrue(pair.server.heard.isEmpty());
    Pair other = new Pair(8, SMALL);
    other.server.connection.close(other.now());
    other.run(1_000);
    other.client.write(new byte[9], false);
    other.run(2_000);
    assertEquals(List.of("abort flow"), other.server.heard);
    pair.run(Connection.WAIT + 1_000);
    assertEquals(List.of("abort flow"), pair.server.heard);
  }
}
