// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** When packets are a rush. */
class RushTest {
  private final Rush rush = new Rush();

  @Test
  void noPacketsAreNoRush() {
    assertFalse(rush.isOn());
    rush.came(0, Long.MIN_VALUE);
    rush.came(0, 0);
    assertFalse(rush.isOn());
  }

  @Test
  void packetsOfTwoMillisecondsAddUp() {
    rush.came(Rush.LEAST - 2, 5);
    rush.came(1, 6);
    assertFalse(rush.isOn());
    rush.came(1, 6);
    assertTrue(rush.isOn());
  }

  @Test
  void oneLargeBatchIsARush() {
    rush.came(Rush.LEAST, 7);
    assertTrue(rush.isOn());
    rush.came(0, 8);
    assertTrue(rush.isOn());
    rush.came(0, 9);
    assertFalse(rush.isOn());
  }

  @Test
  void packetsFromBeforeAPauseDoNotCount() {
    rush.came(Rush.LEAST - 1, 1);
    rush.came(1, 3);
    assertFalse(rush.isOn());
  }

  @Test
  void aSlowFlowIsNoRush() {
    for (int time = 0; time < 100; time++) {
      rush.came(Rush.LEAST / 2 - 1, time);
      assertFalse(rush.isOn());
    }
  }
}
