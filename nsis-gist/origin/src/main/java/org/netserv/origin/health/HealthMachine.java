// SPDX-License-Identifier: Apache-2.0
package org.netserv.origin.health;

import org.netserv.coverage.StateTable;

/** The states of a module at an edge, as its users would find it. Pure: {@link Health} acts. */
final class HealthMachine {
  /** The states. */
  enum State {
    /** The module has not answered yet. */
    NEW,
    /** The module answered the last check. */
    UP,
    /** One check was not answered. Users are still sent to the module. */
    DOUBTED,
    /** The module does not answer. */
    DOWN
  }

  /** The events. */
  enum Event {
    /** The module answered, whatever the answer was. */
    ANSWERED,
    /** No answer came in time. */
    SILENT,
    /** No connection was made. */
    REFUSED
  }

  private static final StateTable<State, Event> TABLE =
      new StateTable<>(
          State.class,
          Event.class,
          """
                    ANSWERED  SILENT   REFUSED
          NEW       UP        NEW      NEW
          UP        UP        DOUBTED  DOWN
          DOUBTED   UP        DOWN     DOWN
          DOWN      UP        DOWN     DOWN
          """);

  private HealthMachine() {}

  static State next(State state, Event event) {
    return TABLE.next(state, event);
  }
}
