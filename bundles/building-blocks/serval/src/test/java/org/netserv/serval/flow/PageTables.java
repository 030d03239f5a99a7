// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import java.util.TreeSet;
import org.netserv.serval.flow.TransitionTable.Transition;

/** The state tables as text: those on the protocol's page, and those of the code. */
public final class PageTables {
  private static final Path PAGE = Path.of("../../../docs/protocols/serval.md");

  /** Returns the table in the page's block of this name. */
  public static String table(String name) throws IOException {
    String page = Files.readString(PAGE);
    int start = page.indexOf("```" + name + "\n") + name.length() + 4;
    return page.substring(start, page.indexOf("```", start));
  }

  private PageTables() {}

  /** Returns one line for each pair that is expected. */
  public static <S extends Enum<S>, E extends Enum<E>, A extends Enum<A>> String lines(
      TransitionTable<S, E, A> table, Class<S> states, Class<E> events) {
    StringBuilder found = new StringBuilder();
    for (S state : states.getEnumConstants()) {
      for (E event : events.getEnumConstants()) {
        Transition<S, A> answer = table.of(state, event);
        String actions = answer.actions().toString();
        if (actions.contains("UNEXPECTED")) {
          assertEquals("[UNEXPECTED]", actions);
          assertEquals(state, answer.next());
        } else {
          found.append(state + " " + event + " " + answer.next() + " " + actions + "\n");
        }
      }
    }
    return found.toString();
  }

  /** Returns the states to which a way leads from a state, with itself. */
  public static <S extends Enum<S>, E extends Enum<E>, A extends Enum<A>> Set<S> reached(
      TransitionTable<S, E, A> table, Class<E> events, S from) {
    Set<S> reached = EnumSet.of(from);
    TreeSet<S> open = new TreeSet<>(reached);
    while (!open.isEmpty()) {
      S state = open.pollFirst();
      for (E event : events.getEnumConstants()) {
        S next = table.of(state, event).next();
        if (reached.add(next)) {
          open.add(next);
        }
      }
    }
    return reached;
  }
}
