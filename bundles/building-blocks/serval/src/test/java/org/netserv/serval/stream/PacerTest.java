// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** The rate at which segments leave. */
class PacerTest {
  private static final int MSS = 1_000;

  private final Pacer pacer = new Pacer(MSS);

  /** Sends as much as may leave from one time to another. Returns the bytes. */
  private double send(long from, long to) {
    double sent = 0;
    for (long now = from; now < to; now++) {
      for (; pacer.allows(now); sent += MSS) {
        pacer.sent(MSS);
      }
      assertTrue(pacer.allowsAt() > now);
    }
    return sent;
  }

  @Test
  void aWindowInARoundTrip() {
    pacer.set(100 * MSS, 100, false);
    send(0, 1_000);
    assertEquals(120.0 * MSS, send(1_000, 1_100), MSS);
    pacer.set(100 * MSS, 100, true);
    assertEquals(200.0 * MSS, send(1_100, 1_200), MSS);
  }

  /** After a pause ten segments leave at once, or what may leave in two milliseconds. */
  @Test
  void bursts() {
    pacer.set(100 * MSS, 100, false);
    assertEquals(10.0 * MSS, send(5_000, 5_001), MSS);
    pacer.set(10_000 * MSS, 100, false);
    send(5_001, 6_000);
    assertEquals(240.0 * MSS, send(9_000, 9_001), MSS);
  }

  @Test
  void aRoundTripBelowTheClockHasNoPace() {
    pacer.set(1_000 * MSS, 1, false);
    for (int i = 0; i < 10_000; i++) {
      assertTrue(pacer.allows(7));
      pacer.sent(MSS);
    }
  }
}
