// SPDX-License-Identifier: Apache-2.0
package org.netserv.translator.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.netserv.serval.flow.TransitionTable.Transition;
import org.netserv.translator.core.RelayTransitions.Action;
import org.netserv.translator.core.RelayTransitions.Event;
import org.netserv.translator.core.RelayTransitions.State;

/** The pages say what the code does. */
class PageTest {
  @Test
  void everyCounterIsOnThePageOfCounters() throws IOException {
    StringBuilder rows = new StringBuilder("|---|---|\n");
    Arrays.stream(Outcome.values())
        .forEach(each -> rows.append("| `" + each.counter() + "` | " + each.text() + " |\n"));
    String page = Files.readString(Path.of("../../../docs/reference/counters.md"));
    assertTrue(page.contains(rows + "\n"), rows.toString());
  }

  @Test
  void theTableIsThatOfThePage() throws IOException {
    StringBuilder lines = new StringBuilder();
    for (State state : State.values()) {
      for (Event event : Event.values()) {
        Transition<State, Action> answer = RelayTransitions.TABLE.of(state, event);
        if (!answer.actions().contains(Action.IGNORE)) {
          lines.append(state + " " + event + " " + answer.next() + " " + answer.actions() + "\n");
        }
      }
    }
    String page = Files.readString(Path.of("README.md"));
    String table = page.split("```relay\n", 2)[1].split("```", 2)[0];
    assertEquals(table, lines.toString());
  }
}
