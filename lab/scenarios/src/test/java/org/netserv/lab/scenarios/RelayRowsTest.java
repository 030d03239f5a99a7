// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.netserv.lab.scenarios.RelayRow.End;

class RelayRowsTest {
  @Test
  void everyRowHasANameOfItsOwn() {
    for (Supplier<List<RelayRow>> rows :
        List.<Supplier<List<RelayRow>>>of(RelayRows::few, RelayRows::all, RelayRows::limits)) {
      Set<String> names = new HashSet<>();
      for (RelayRow row : rows.get()) {
        assertTrue(names.add(row.name()), row.name());
      }
    }
  }

  @Test
  void everyLegHasTheSameRowsToAPeer() {
    Set<String> first = words(RelayLeg.UDP);
    for (RelayLeg leg : RelayLeg.values()) {
      assertEquals(first, words(leg), leg.text());
    }
  }

  private static Set<String> words(RelayLeg leg) {
    Set<String> words = new HashSet<>();
    for (RelayRow row : RelayRows.all()) {
      if (row.leg() == leg && !row.options().contains("-T")) {
        words.add(row.what());
      }
    }
    return words;
  }

  @Test
  void relayedTcpNeedsAStream() {
    for (RelayRow row : RelayRows.all()) {
      assertFalse(row.options().contains("-T") && !row.leg().isStream(), row.name());
    }
  }

  @Test
  void readsTheLastTotals() {
    RelayRow row = RelayRows.few().get(0);
    String said =
        """
        0: : start_mclient: msz=4, tot_send_msgs=10, tot_recv_msgs=7, tot_send_bytes ~ 1000
        0: : start_mclient: tot_send_msgs=20, tot_recv_msgs=20
        """;
    RelayResult result = RelayResult.of(row, said);
    assertEquals(20, result.sent());
    assertEquals(20, result.back());
    assertTrue(result.holds());
  }

  @Test
  void aClientThatHasGivenUpDoesNotHold() {
    RelayRow row = RelayRows.few().get(0);
    RelayResult result = RelayResult.of(row, "error 437 (Mismatched allocation)");
    assertFalse(result.holds());
    assertEquals("-", result.sentText());
    assertEquals("error 437 (Mismatched allocation)", result.complaint());
  }

  @Test
  void tellsTheReasonOfEachLimit() {
    for (RelayRow row : RelayRows.limits()) {
      assertFalse(row.end() == End.ALL, row.name());
      assertFalse(row.end().because().isEmpty(), row.name());
    }
  }

  private static boolean holds(End end, String said) {
    RelayRow row =
        RelayRows.limits().stream().filter(r -> r.end() == end).findFirst().orElseThrow();
    return RelayResult.of(row, said).holds();
  }

  @Test
  void aClientThatDamagesItsMessagesGetsNoMoreThanItSent() {
    assertTrue(holds(End.DAMAGED, "error 400 (Bad Request)"));
    assertTrue(holds(End.DAMAGED, "")); // it waits for an answer to what was dropped
    assertTrue(holds(End.DAMAGED, "tot_send_msgs=20, tot_recv_msgs=20"));
    assertFalse(holds(End.DAMAGED, "tot_send_msgs=20, tot_recv_msgs=21"));
  }

  @Test
  void aClientThatBreaksOffHadMessagesBack() {
    assertTrue(holds(End.BROKEN_OFF, "tot_send_msgs=20, tot_recv_msgs=7"));
    assertTrue(holds(End.BROKEN_OFF, "tot_send_msgs=20, tot_recv_msgs=0"));
    assertFalse(holds(End.BROKEN_OFF, "tot_send_msgs=20, tot_recv_msgs=21"));
    assertFalse(holds(End.BROKEN_OFF, "tot_send_msgs=0, tot_recv_msgs=0"));
    assertFalse(holds(End.BROKEN_OFF, ""));
  }
}
