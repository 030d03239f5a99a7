// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.netserv.serval.Counts;
import org.netserv.serval.ServalError;
import org.netserv.serval.registration.RegistrationRefusal;
import org.netserv.serval.table.ForwardVerdict;
import org.netserv.serval.table.HoldRefusal;
import org.netserv.serval.table.TableRefusal;

class OutcomeTest {
  private static final Path COUNTERS = Path.of("../../../docs/reference/counters.md");

  /**
   * The agent of a container shows 64 names of a module, of those above zero. So a third of these
   * may be missing only where packets are refused for most of all reasons.
   */
  private static final int NAMES_MOST = 96;

  @Test
  void everyValueOfTheBlockHasItsCounter() {
    same(new Counts<>("packet", ServalError.class), ServalError.values(), ServalError.OK);
    same(new Counts<>("forward", ForwardVerdict.class), ForwardVerdict.values(), null);
    same(new Counts<>("hold", HoldRefusal.class), HoldRefusal.values(), null);
    same(new Counts<>("rule", TableRefusal.class), TableRefusal.values(), null);
    same(new Counts<>("signed", RegistrationRefusal.class), RegistrationRefusal.values(), null);
    assertTrue(Outcome.values().length <= NAMES_MOST);
  }

  private static <E extends Enum<E>> void same(Counts<E> counts, E[] values, E except) {
    for (E value : values) {
      if (value != except) {
        assertEquals("serval." + counts.name(value), Outcome.of(value).counter());
      }
    }
  }

  @Test
  void everyCounterIsOnThePageOfCounters() throws IOException {
    String page = Files.readString(COUNTERS);
    StringBuilder own = new StringBuilder("|---|---|\n");
    Arrays.stream(Outcome.values())
        .filter(outcome -> outcome.compareTo(Outcome.ROUTER_TOO_LONG) >= 0)
        .forEach(each -> own.append("| `" + each.counter() + "` | " + each.text() + " |\n"));
    assertTrue(page.contains(own), own.toString());
    for (Outcome outcome : Outcome.values()) {
      String row = "| `" + outcome.counter() + "` | " + outcome.text() + " |\n";
      assertTrue(page.contains(row), row);
    }
  }
}
