// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The admission of connections, and the pace at which their frames are read. */
final class AgentDoorTest {
  private static final long JANE = 700_000;
  private static final long JOHN = 700_001;

  private final AgentDoor door = new AgentDoor();

  @Test
  void twoConnectionsOfAUidAndOthersAreNoneOfItsBusiness() {
    assertEquals(Optional.empty(), door.enters(JANE, false, 0));
    assertEquals(Optional.empty(), door.enters(JANE, false, 0));
    assertEquals(Optional.of(Misdeed.CONNECTIONS), door.enters(JANE, false, 0));
    assertEquals(Optional.empty(), door.enters(JOHN, false, 0));
    door.leaves(JANE);
    assertEquals(Optional.empty(), door.enters(JANE, false, 0));
  }

  @Test
  void underLoadAUidHasOneConnection() {
    assertEquals(Optional.empty(), door.enters(JANE, true, 0));
    assertEquals(Optional.of(Misdeed.OVERLOAD), door.enters(JANE, true, 0));
    assertEquals(Optional.empty(), door.enters(JOHN, true, 0));
    assertEquals(Optional.empty(), door.enters(JANE, false, 0));
  }

  @Test
  void theFirstThatGreetsIsTheAgentWhileItIsOpen() {
    door.enters(JANE, false, 0);
    door.enters(JANE, false, 0);
    assertTrue(door.greets(JANE));
    assertFalse(door.greets(JANE));
    door.enters(JOHN, false, 0);
    assertTrue(door.greets(JOHN));
    door.parts(JANE);
    door.leaves(JANE);
    assertTrue(door.greets(JANE));
  }

  @Test
  void twelveAMinuteThenOneEachFiveSeconds() {
    for (int i = 0; i < AgentDoor.PER_MINUTE; i++) {
      assertEquals(Optional.empty(), door.enters(JANE, false, 0));
      door.leaves(JANE);
    }
    assertEquals(Optional.of(Misdeed.CONNECT_RATE), door.enters(JANE, false, 4_999));
    assertEquals(Optional.empty(), door.enters(JOHN, false, 4_999));
    assertEquals(Optional.empty(), door.enters(JANE, false, 5_000));
  }

  @Test
  void framesAreReadAtAPaceThatOutlivesTheirConnection() {
    // 200 units at once: a small frame costs a little more than one, the longest seventeen.
    for (int i = 0; i < Pace.BURST - 1; i++) {
      assertEquals(0, door.pause(JANE, 8, 0));
    }
    long second = door.pause(JANE, 39 << 12, 0);
    assertTrue(second > 900 && second <= 1_000, second + " ms for 40 units");
    assertTrue(door.pause(JANE, AgentText.FRAME, 0) > second);
    assertEquals(0, door.pause(JOHN, AgentText.FRAME, 0));
    assertEquals(0, door.pause(JANE, 8, 60_000));
  }

  @Test
  void aClockThatStandsStillGivesNothingBack() {
    Pace pace = new Pace(1_000);
    long waited = 0;
    for (int i = 0; i < 1_000; i++) {
      waited = pace.take(0, 1_000);
    }
    assertEquals((1_000 - Pace.BURST) * 1_000L / Pace.PER_SECOND, waited);
  }
}
