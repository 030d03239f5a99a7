// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The window beside the equations and the figures of RFC 9438. */
class CubicTest {
  private static final int MSS = 1_000;

  /** Acknowledges windows for some milliseconds, a round trip each. */
  private static long trips(Cubic cubic, long from, long length, long rtt) {
    long now = from;
    for (; now < from + length; now += rtt) {
      cubic.acked((int) cubic.window(), now, rtt, true);
    }
    return now;
  }

  @Test
  void slowStartDoubles() {
    Cubic cubic = new Cubic(MSS);
    assertEquals(10 * MSS, cubic.window());
    trips(cubic, 0, 300, 100);
    assertEquals(80 * MSS, cubic.window());
  }

  /** Section 4.2: after K seconds the window is W_max again, and below it before. */
  @Test
  void theCurveComesBackAfterK() {
    Cubic cubic = new Cubic(MSS);
    trips(cubic, 0, 700, 100);
    assertEquals(1_280 * MSS, cubic.window());
    cubic.lost(1_280L * MSS);
    assertEquals(896 * MSS, cubic.window(), "beta is 0.7");
    double k = Math.cbrt(1_280 * 0.3 / 0.4);
    assertEquals(9.865, k, 0.001);
    long now = trips(cubic, 1_000, 5_000, 100);
    double expected = 0.4 * Math.pow((now - 1_000) / 1_000.0 - k, 3) + 1_280;
    assertEquals(expected, cubic.window() / (double) MSS, expected * 0.02);
    now = trips(cubic, now, 4_900, 100);
    assertEquals(1_280, cubic.window() / (double) MSS, 10);
    trips(cubic, now, 5_000, 100);
    expected = 0.4 * Math.pow(14.9 - k, 3) + 1_280;
    assertEquals(expected, cubic.window() / (double) MSS, expected * 0.03);
  }

  /** Section 4.7: a flow that loses below W_max gives room. */
  @Test
  void fastConvergence() {
    Cubic cubic = new Cubic(MSS);
    trips(cubic, 0, 400, 100);
    cubic.lost(160L * MSS);
    cubic.lost(112L * MSS);
    assertEquals(112 * 1.7 / 2, cubic.save().wMax(), 0.001);
  }

  @Test
  void aTimeoutBeginsWithOneSegment() {
    Cubic cubic = new Cubic(MSS);
    trips(cubic, 0, 400, 100);
    cubic.timedOut(160L * MSS);
    assertEquals(MSS, cubic.window());
    trips(cubic, 1_000, 700, 100);
    assertEquals(112, cubic.window() / (double) MSS, 2.0);
    assertTrue(!cubic.isSlowStart());
  }

  @Test
  void aWindowThatIsNotUsedDoesNotGrow() {
    Cubic cubic = new Cubic(MSS);
    cubic.acked(5_000, 100, 100, false);
    assertEquals(10 * MSS, cubic.window());
    cubic.lost(10L * MSS);
    long now = trips(cubic, 200, 1_000, 100);
    long before = cubic.window();
    cubic.acked(1_000, now + 1_000_000, 100, false);
    cubic.acked(1_000, now + 1_000_100, 100, true);
    assertTrue(cubic.window() - before < MSS, "idle time does not count");
  }

  /**
   * Section 5.1: with one loss in 1/p segments the average window is 1.054 (RTT/p)^0.75 segments,
   * or that of Reno, 1.2 / p^0.5, if that is larger.
   */
  @ParameterizedTest
  @CsvSource({
    "100, 0.01, 12",
    "100, 0.001, 38",
    "100, 0.0001, 187",
    "100, 0.00001, 1054",
    "10, 0.001, 38",
    "10, 0.0001, 120",
    "10, 0.00001, 379"
  })
  void averageWindowByLossRate(long rtt, double loss, double average) {
    double scale = 1_000; // bytes of a segment, so that windows are not rounded
    Cubic cubic = new Cubic((int) scale);
    cubic.lost((long) (average * scale));
    double sent = 0;
    double sum = 0;
    long count = 0;
    long now = 0;
    int losses = 0;
    while (losses < 60) {
      double window = cubic.window() / scale;
      cubic.acked((int) cubic.window(), now, rtt, true);
      now += rtt;
      sent += window;
      if (losses >= 10) {
        sum += window;
        count++;
      }
      if (sent >= 1 / loss) {
        sent -= 1 / loss;
        losses++;
        cubic.lost(cubic.window());
      }
    }
    assertEquals(average, sum / count, average * 0.15, "rtt " + rtt + " loss " + loss);
  }
}
