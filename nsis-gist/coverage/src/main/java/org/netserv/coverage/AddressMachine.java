// SPDX-License-Identifier: Apache-2.0
package org.netserv.coverage;

/** The states of an address with agents. Pure: {@link CoveredAddresses} acts. */
final class AddressMachine {
  /** The states. */
  enum State {
    /** The edge node is not known. */
    WANTED,
    /** The edge node is known, and does not run the module yet. */
    PENDING,
    /** The edge node runs the module. */
    COVERED,
    /** No usable edge node is on the path. */
    BARE
  }

  /** The events. */
  enum Event {
    /** A PROBE found a node that runs the module. */
    FOUND_RUNNING,
    /** A PROBE found a node that does not run the module yet. */
    FOUND_PENDING,
    /** A PROBE found that no usable node is on the path. */
    FOUND_NOBODY,
    /** A PROBE was not answered to its end. */
    UNANSWERED,
    /** The address's node runs the module now. */
    NODE_UP,
    /** The address's node runs the module no more, or has left the path. */
    NODE_DOWN
  }

  private static final StateTable<State, Event> TABLE =
      new StateTable<>(
          State.class,
          Event.class,
          """
                    FOUND_RUNNING FOUND_PENDING FOUND_NOBODY UNANSWERED NODE_UP  NODE_DOWN
          WANTED    COVERED       PENDING       BARE         WANTED     WANTED   WANTED
          PENDING   COVERED       PENDING       BARE         PENDING    COVERED  WANTED
          COVERED   COVERED       PENDING       BARE         COVERED    COVERED  WANTED
          BARE      COVERED       PENDING       BARE         BARE       BARE     BARE
          """);

  private AddressMachine() {}

  static State next(State state, Event event) {
    return TABLE.next(state, event);
  }
}
