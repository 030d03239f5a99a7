// SPDX-License-Identifier: Apache-2.0
package org.netserv.packet;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TallyTest {
  private enum Outcome {
    SENT,
    DROPPED,
    ANSWERED
  }

  private final Tally<Outcome> tally = new Tally<>(Outcome.class);

  @Test
  void everyOutcomeBeginsAtZero() {
    for (Outcome outcome : Outcome.values()) {
      assertEquals(0, tally.get(outcome));
    }
    assertEquals(Map.of(), tally.snapshot());
  }

  @Test
  void outcomesAreCountedApart() {
    tally.count(Outcome.SENT);
    tally.count(Outcome.ANSWERED);
    tally.count(Outcome.SENT);
    assertEquals(2, tally.get(Outcome.SENT));
    assertEquals(0, tally.get(Outcome.DROPPED));
    assertEquals(1, tally.get(Outcome.ANSWERED));
  }

  @Test
  void aSnapshotHasNoZerosAndIsInOrder() {
    tally.count(Outcome.SENT);
    tally.count(Outcome.ANSWERED);
    assertEquals(Map.of("ANSWERED", 1L, "SENT", 1L), tally.snapshot());
    assertEquals(List.of("ANSWERED", "SENT"), List.copyOf(tally.snapshot().keySet()));
  }

  @Test
  void aSnapshotStaysAsItWas() {
    Map<String, Long> before = tally.snapshot();
    tally.count(Outcome.DROPPED);
    assertEquals(Map.of(), before);
  }
}
