// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.netserv.controller.spawner.SpawnerReply;
import org.netserv.filter.FlowFilter;

/** Filters that are written during an installation, and the end of that installation. */
class EarlyFiltersTest {
  private static final SpawnerReply OK = SpawnerReply.done(Map.of());
  private final List<SpawnerReply> heard = new ArrayList<>();
  private final EarlyFilters early = new EarlyFilters(List.of());

  @Test
  void anInstallationThatIsFasterWaits() {
    assertTrue(early.await(List.of(), heard::add));
    assertEquals(List.of(), heard);
    early.written(OK);
    assertEquals(List.of(OK), heard);
  }

  @Test
  void anInstallationThatIsSlowerHearsAtOnce() {
    early.written(OK);
    assertTrue(early.await(List.of(), heard::add));
    assertEquals(List.of(OK), heard);
  }

  @Test
  void aFailureBeforeTheEndIsTriedAgain() {
    early.written(SpawnerReply.refused("nft"));
    assertFalse(early.await(List.of(), heard::add));
    assertEquals(List.of(), heard);
  }

  @Test
  void otherFiltersAreWrittenAgain() {
    early.written(OK);
    List<FlowFilter> none = new ArrayList<>();
    none.add(null);
    assertFalse(early.await(none, heard::add));
  }
}
