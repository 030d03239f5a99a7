// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The last segments of a burst get lost, behind which nothing comes that shows it. */
class TailLossTest {
  private static final int MSS = 1_000;
  private static final StreamSettings SMALL = new StreamSettings(MSS, 1 << 16, 1 << 16);
  private static final long DELAY = 30; // one way
  private static final long TRIP = 2 * DELAY;
  private static final byte[] WARM = StreamLossTest.random(1, 20_000);
  private static final byte[] BURST = StreamLossTest.random(2, 8_000);

  private final Pair pair = new Pair(1, SMALL);
  private final List<Long> sent = new ArrayList<>(); // times of the client's data
  private long began;

  /** Measures the round trip, and then sends a burst of eight segments. */
  private void burst() {
    pair.delay = DELAY;
    pair.client.write(WARM, false);
    pair.run(2_000);
    assertEquals(WARM.length, pair.server.got.size());
    began = pair.now();
    pair.client.write(BURST, false);
  }

  /** Loses the segments of the client with data behind so many, up to a number of losses. */
  private void lose(int behind, int losses) {
    int[] data = new int[1];
    pair.drops =
        (from, bytes) -> {
          boolean counts = from == pair.client && bytes.length >= MSS && pair.now() >= began;
          if (!counts) {
            return false;
          }
          sent.add(pair.now());
          data[0]++;
          return data[0] > behind && data[0] <= behind + losses;
        };
  }

  private void assertWhole() {
    byte[] got = pair.server.got.toByteArray();
    assertArrayEquals(BURST, Arrays.copyOfRange(got, WARM.length, got.length));
    assertEquals(WARM.length + BURST.length, got.length);
  }

  private static byte[] all() {
    byte[] all = Arrays.copyOf(WARM, WARM.length + BURST.length);
    System.arraycopy(BURST, 0, all, WARM.length, BURST.length);
    return all;
  }

  /** Counts from the last acknowledgement of the others, which comes after a round trip. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 6})
  void theLastSegmentsComeWithinTwoRoundTrips(int losses) {
    burst();
    lose(8 - losses, losses);
    pair.run(began + TRIP + 2 * TRIP + DELAY); // the probe is there
    assertTrue(pair.server.got.size() >= WARM.length + BURST.length - losses * MSS);
    pair.run(pair.now() + TRIP); // its acknowledgement, and the others
    assertArrayEquals(all(), pair.server.got.toByteArray());
    assertWhole();
    assertEquals(8 + losses, sent.size());
  }

  /**
   * The peer may wait with the acknowledgement of one segment, so the probe waits for that, too.
   */
  @Test
  void oneSegmentComesSoonAfterThat() {
    burst();
    lose(7, 1);
    long window = pair.client.connection.congestionWindow();
    pair.run(began + TRIP + 2 * TRIP + ReceiveHalf.DELAY + DELAY);
    assertWhole();
    assertEquals(9, sent.size());
    pair.drops = (from, bytes) -> false;
    pair.client.write(BURST, false);
    pair.run(pair.now() + 2_000);
    assertTrue(pair.client.connection.congestionWindow() < window, "a repaired loss is a loss");
  }

  /** If there is more to send, the probe is a new segment. */
  @Test
  void newDataAreTheProbe() {
    pair.delay = DELAY;
    pair.client.write(WARM, false);
    pair.run(2_000);
    began = pair.now();
    int room = Cubic.INITIAL; // after a pause
    byte[] more = StreamLossTest.random(3, (room + 5) * MSS);
    lose(0, room);
    pair.client.write(more, false);
    pair.run(began + 2 * TRIP);
    assertEquals(room + 1, sent.size(), "the window is full");
    pair.run(60_000);
    assertEquals(WARM.length + more.length, pair.server.got.size());
  }

  /** The acknowledgement is lost, and not the data. The window stays, and so does the patience. */
  @Test
  void aCopyIsNoLoss() {
    burst();
    int[] acks = new int[1];
    pair.drops = (from, bytes) -> from == pair.server && pair.now() > began && ++acks[0] == 1;
    pair.run(began + 2_000);
    assertWhole();
    assertEquals(1, copies());
    pair.client.write(BURST, false);
    pair.run(pair.now() + 2_000);
    assertTrue(pair.client.connection.congestionWindow() >= Cubic.INITIAL * MSS);
  }

  private long copies() {
    return pair.server.verdicts.stream().filter(StreamVerdict.DUPLICATE::equals).count();
  }

  /**
   * A probe that gets lost, too, leaves the rest to the timeout, and the next burst has a probe.
   */
  @Test
  void theProbeIsLost() {
    burst();
    lose(6, 3);
    pair.run(began + TRIP + 2 * TRIP + DELAY + 1);
    assertEquals(9, sent.size());
    pair.run(began + 10_000);
    assertWhole();
    pair.drops = (from, bytes) -> false;
    byte[] grows = StreamLossTest.random(3, 500_000);
    pair.client.write(grows, false);
    pair.run(began + 60_000);
    began = pair.now();
    lose(6, 2);
    pair.client.write(BURST, false);
    pair.run(began + TRIP + 2 * TRIP + DELAY + TRIP);
    int all = WARM.length + BURST.length + grows.length + BURST.length;
    assertEquals(all, pair.server.got.size());
  }

  /** Without SACK nothing tells a loss from a copy, and without a round trip nothing the time. */
  @Test
  void noProbeWithoutSack() {
    pair.client.connection = Connection.client(SMALL, pair.client, 5);
    Peers.meetWithoutSack(pair, SMALL);
    burst();
    lose(5, 3);
    pair.run(began + TRIP + 2 * TRIP + DELAY + 1);
    assertFalse(pair.client.connection.sending().sack());
    assertTrue(sent.size() <= 9, "sent " + sent.size()); // Peers has an MSS of 900
    pair.run(began + 20_000);
    assertWhole();
  }

  /** Small writes of a program that sends one after the other have no probe for each. */
  @Test
  void aDelayedAcknowledgementIsNoLoss() {
    pair.delay = 1;
    for (int i = 0; i < 100; i++) {
      pair.at(i * 100L, () -> pair.client.write(new byte[10], false));
    }
    pair.run(60_000);
    assertEquals(1_000, pair.server.got.size());
    assertEquals(0, copies());
  }
}
