// SPDX-License-Identifier: Apache-2.0
package org.netserv.coverage;

/** The states of an edge node. Pure: {@link EdgeNodes} acts. */
final class NodeMachine {
  /** The states. */
  enum State {
    /** A SETUP is due or under way, and the module does not run. */
    ASKED,
    /** The module runs, and is refreshed. */
    RUNNING,
    /** The node refuses the module, and is passed over for a while. It has no addresses. */
    REFUSED,
    /** No agent needs the node, and a REMOVE is due or under way. */
    LEAVING,
    /** Forgotten. */
    GONE
  }

  /** The events. */
  enum Event {
    /** The node answered a SETUP with 200. */
    DONE,
    /** The node answered with a refusal. */
    REFUSED,
    /** No answer of the node came. */
    LOST,
    /** The path was answered to its end, without this node. */
    OFF_PATH,
    /** The TTL of the last answered SETUP is over. */
    TTL_OVER,
    /** The while for which a node that refused is passed over has ended. */
    RETRY,
    /** The last address has left. */
    EMPTY,
    /** An address has come. */
    WANTED,
    /** The node answered a REMOVE. */
    REMOVED
  }

  private static final StateTable<State, Event> TABLE =
      new StateTable<>(
          State.class,
          Event.class,
          """
                   DONE     REFUSED  LOST     OFF_PATH  TTL_OVER  RETRY    EMPTY    WANTED   REMOVED
          ASKED    RUNNING  REFUSED  ASKED    ASKED     ASKED     ASKED    LEAVING  ASKED    ASKED
          RUNNING  RUNNING  REFUSED  RUNNING  RUNNING   ASKED     RUNNING  LEAVING  RUNNING  RUNNING
          REFUSED  RUNNING  REFUSED  REFUSED  REFUSED   REFUSED   GONE     GONE     REFUSED  REFUSED
          LEAVING  LEAVING  GONE     LEAVING  GONE      GONE      LEAVING  LEAVING  ASKED    GONE
          GONE     GONE     GONE     GONE     GONE      GONE      GONE     GONE     GONE     GONE
          """);

  private NodeMachine() {}

  static State next(State state, Event event) {
    return TABLE.next(state, event);
  }
}
