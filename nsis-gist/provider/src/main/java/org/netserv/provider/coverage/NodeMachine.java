// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider.coverage;

import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * The states of an edge node. Pure: {@link Coverage} acts.
 *
 * <pre>
 *            DONE     REFUSED  LOST     OFF_PATH  TTL_OVER  RETRY    EMPTY    WANTED   REMOVED
 *   ASKED    RUNNING  REFUSED  ASKED    ASKED     ASKED     ASKED    LEAVING  ASKED    ASKED
 *   RUNNING  RUNNING  REFUSED  RUNNING  RUNNING   ASKED     RUNNING  LEAVING  RUNNING  RUNNING
 *   REFUSED  RUNNING  REFUSED  REFUSED  REFUSED   REFUSED   GONE     GONE     REFUSED  REFUSED
 *   LEAVING  LEAVING  GONE     LEAVING  GONE      GONE      LEAVING  LEAVING  ASKED    GONE
 *   GONE     GONE     GONE     GONE     GONE      GONE      GONE     GONE     GONE     GONE
 * </pre>
 */
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

  private static final Map<State, Map<Event, State>> TABLE = new EnumMap<>(State.class);

  static {
    row(State.ASKED, "RUNNING REFUSED ASKED ASKED ASKED ASKED LEAVING ASKED ASKED");
    row(State.RUNNING, "RUNNING REFUSED RUNNING RUNNING ASKED RUNNING LEAVING RUNNING RUNNING");
    row(State.REFUSED, "RUNNING REFUSED REFUSED REFUSED REFUSED GONE GONE REFUSED REFUSED");
    row(State.LEAVING, "LEAVING GONE LEAVING GONE GONE LEAVING LEAVING ASKED GONE");
    row(State.GONE, "GONE GONE GONE GONE GONE GONE GONE GONE GONE");
  }

  private NodeMachine() {}

  private static void row(State state, String next) {
    Iterator<String> names = List.of(next.split(" ", -1)).iterator();
    Map<Event, State> row = new EnumMap<>(Event.class);
    for (Event event : Event.values()) {
      row.put(event, State.valueOf(names.next()));
    }
    TABLE.put(state, row);
  }

  static State next(State state, Event event) {
    return TABLE.get(state).get(event);
  }
}
