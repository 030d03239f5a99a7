// SPDX-License-Identifier: Apache-2.0
package org.netserv.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class FairRateTest {
  private static final long WINDOW = 10_000;
  private static final int BUDGET = 1000;

  private final FairRate rate = new FairRate(WINDOW);

  private int takeAll(String source, int asked, long now) {
    int taken = 0;
    for (int i = 0; i < asked; i++) {
      taken += rate.take(source, BUDGET, now) ? 1 : 0;
    }
    return taken;
  }

  @Test
  void oneSourceAloneGetsEverything() {
    assertEquals(BUDGET, takeAll("one", 5000, 0));
    assertEquals(0, takeAll("one", 5000, WINDOW - 1));
    assertEquals(BUDGET, takeAll("one", 5000, WINDOW));
  }

  @Test
  void whoComesLateStillGetsItsFirst() {
    takeAll("greedy", 5000, 0);
    for (int i = 0; i < 100; i++) {
      assertTrue(takeAll("honest " + i, 10, 1) >= FairRate.FIRST, "honest " + i);
    }
  }

  @Test
  void aFloodFromSixtyFourLeavesTheOthersTheirFirst() {
    long now = 0;
    for (int window = 0; window < 5; window++, now += WINDOW) {
      int flood = 0;
      for (int i = 0; i < 64; i++) {
        flood += takeAll("flood " + i, 500, now);
      }
      assertTrue(flood <= BUDGET * 11 / 8, "taken " + flood);
      for (int i = 0; i < 30; i++) {
        assertTrue(takeAll("honest " + i, 4, now + 1) >= 4, "honest " + i);
      }
    }
  }

  @Test
  void memoryIsBounded() {
    int taken = 0;
    for (int i = 0; i < 100_000; i++) {
      taken += rate.take("source " + i, BUDGET, 1) ? 1 : 0;
    }
    assertEquals(BUDGET, taken);
    assertEquals(BUDGET, rate.sources());
    assertFalse(rate.take("one more", BUDGET, 1));
    assertTrue(rate.take("one more", BUDGET, 1 + WINDOW));
  }

  /** In the long run each of them has the same, however fast the others ask. */
  @Test
  void aSteadyFloodLeavesEachItsShare() {
    long now = 0;
    for (int window = 0; window < 5; window++, now += WINDOW) {
      for (int i = 0; i < 64; i++) {
        takeAll("flood " + i, 500, now);
      }
      int honest = takeAll("honest", 10, now + 9_000);
      assertEquals(window == 0 ? FairRate.FIRST : 10, honest, "window " + window);
    }
  }

  /** One that asked before the flood, and goes on asking in the same window, has had less. */
  @Test
  void aFloodThatBeginsInTheWindowTakesNothingFromWhoHasHadLess() {
    int honest = 0;
    int asked = 0;
    for (int now = 0; now < 3 * WINDOW; now += 8) {
      if (now % 1600 == 0) {
        asked++;
        honest += rate.take("honest", BUDGET, now) ? 1 : 0;
      }
      if (now >= 2000) {
        rate.take("flood " + now / 8 % 64, BUDGET, now);
      }
    }
    assertEquals(asked, honest);
  }

  @Test
  void askingTakesNothing() {
    for (int i = 0; i < 5000; i++) {
      assertTrue(rate.admits("one", BUDGET, 0));
    }
    takeAll("one", BUDGET, 0);
    assertFalse(rate.admits("one", BUDGET, 0));
    assertTrue(rate.admits("other", BUDGET, 0));
  }

  @Test
  void aSmallBudgetGivesEachOne() {
    for (int i = 0; i < 4; i++) {
      assertTrue(rate.take("source " + i, 4, 0), "source " + i);
    }
    assertFalse(rate.take("source 5", 4, 0));
  }

  @Test
  void aPauseForgetsTheOthers() {
    for (int i = 0; i < 50; i++) {
      takeAll("source " + i, 1, 0);
    }
    assertEquals(15, takeAll("a", 500, WINDOW), "fifty were there a window ago");
    assertEquals(BUDGET, takeAll("a", 5000, 4 * WINDOW));
  }
}
