// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.netserv.controller.log.ModuleKey;
import org.netserv.process.ForeignText;

/** The bounds of the history of modules. */
final class ModuleHistoryTest {
  private final ModuleHistory history = new ModuleHistory();

  @Test
  void aTextOfTwoMegabytesIsCut() {
    ModuleKey key = new ModuleKey("jane", "m");
    history.add(key, 1, "failed", "x".repeat(2 << 20));
    assertEquals(ForeignText.MAX, history.of(key).get(0).reason().length());
  }

  @Test
  void aPublisherWithManyNamesPushesOutItsOwn() {
    ModuleKey johns = new ModuleKey("john", "only");
    history.add(johns, 0, "running", "running");
    for (int i = 0; i < 2_000; i++) {
      history.add(new ModuleKey("jane", "m" + i), i, "failed", "no");
    }
    assertEquals(1, history.of(johns).size());
    assertEquals(List.of(), history.of(new ModuleKey("jane", "m1935")));
    assertEquals(1, history.of(new ModuleKey("jane", "m1936")).size());
    assertEquals(1, history.of(new ModuleKey("jane", "m1999")).size());
  }
}
