// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.netserv.serval.flow.TransitionTable.Transition;

/**
 * The state tables of the model are those of the code. The test leaves the tables that the code has
 * in target/tables.pml; copy that file over model/tables.pml after a change, and run check.sh
 * there.
 */
class ModelTest {
  private static final Path MODEL = Path.of("model/tables.pml");
  private static final Path FOUND = Path.of("target/tables.pml");

  @Test
  void theTablesOfTheModelAreThoseOfTheCode() throws IOException {
    StringBuilder found = new StringBuilder("// SPDX-License-Identifier: Apache-2.0\n");
    found.append("/* The state tables of the code, compared with them by ModelTest. */\n");
    table(
        found,
        "flow",
        FlowTransitions.TABLE,
        FlowTransitions.State.values(),
        FlowTransitions.Event.values(),
        FlowTransitions.Action.values());
    table(
        found,
        "move",
        MoveTransitions.TABLE,
        MoveTransitions.State.values(),
        MoveTransitions.Event.values(),
        MoveTransitions.Action.values());
    table(
        found,
        "channel",
        ChannelTransitions.TABLE,
        ChannelTransitions.State.values(),
        ChannelTransitions.Event.values(),
        ChannelTransitions.Action.values());
    Files.writeString(FOUND, found);
    assertEquals(Files.readString(MODEL), found.toString());
  }

  @SuppressWarnings("EnumOrdinal") // numbers of the model alone
  private static <S extends Enum<S>, E extends Enum<E>, A extends Enum<A>> void table(
      StringBuilder found,
      String name,
      TransitionTable<S, E, A> table,
      S[] states,
      E[] events,
      A[] actions) {
    String first = name.substring(0, 1).toUpperCase(Locale.ROOT);
    found.append("\n");
    for (S state : states) {
      found.append("#define " + first + "S_" + state + " " + state.ordinal() + "\n");
    }
    for (E event : events) {
      found.append("#define " + first + "E_" + event + " " + event.ordinal() + "\n");
    }
    for (A action : actions) {
      found.append("#define " + first + "A_" + action + " " + (1 << action.ordinal()) + "\n");
    }
    found.append("\ninline " + name + "_table(at_state, on_event, then_state, then_actions) {\n");
    found.append("  if\n");
    for (S state : states) {
      for (E event : events) {
        Transition<S, A> answer = table.of(state, event);
        if (!answer.actions().toString().equals("[UNEXPECTED]")) {
          found.append("  :: at_state == " + first + "S_" + state);
          found.append(" && on_event == " + first + "E_" + event + " ->\n");
          found.append("     then_state = " + first + "S_" + answer.next() + ";\n");
          found.append("     then_actions = " + sum(first, answer) + "\n");
        }
      }
    }
    found.append("  :: else -> then_state = at_state; then_actions = " + first + "A_UNEXPECTED\n");
    found.append("  fi\n}\n");
  }

  private static <S, A> String sum(String first, Transition<S, A> answer) {
    if (answer.actions().isEmpty()) {
      return "0";
    }
    return answer.actions().stream()
        .map(action -> first + "A_" + action)
        .collect(Collectors.joining(" | "));
  }
}
