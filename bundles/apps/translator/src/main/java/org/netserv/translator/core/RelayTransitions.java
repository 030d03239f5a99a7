// SPDX-License-Identifier: Apache-2.0
package org.netserv.translator.core;

import static org.netserv.translator.core.RelayTransitions.Action.*;
import static org.netserv.translator.core.RelayTransitions.State.*;

import java.util.EnumSet;
import java.util.Set;
import org.netserv.serval.flow.TransitionTable;

/**
 * The table of a relayed connection. The client is the side that has connected to the module, the
 * server the one to which the module connects.
 *
 * <pre>
 *   CONNECTING -- CONNECTED --> OPEN -- CLIENT_END --> CLIENT_ENDED -- SERVER_END --+
 *                                 |                                                 v
 *                                 +--- SERVER_END --> SERVER_ENDED -- CLIENT_END --> ENDING
 *                                                                                   |
 *   all -- FAILED, BROKEN, IDLE, DRAINED --> OVER <----------- FLUSHED -------------+
 * </pre>
 *
 * An end of data is passed on behind the data before it. Everything else that ends a connection
 * breaks off both sides.
 */
public final class RelayTransitions {
  /** States. */
  public enum State {
    /** The server has not answered. */
    CONNECTING,
    /** Bytes go both ways. */
    OPEN,
    /** The client has sent all. */
    CLIENT_ENDED,
    /** The server has sent all. */
    SERVER_ENDED,
    /** Both have sent all, and the last bytes are on their way out. */
    ENDING,
    /** Both sides are closed. */
    OVER
  }

  /** Events. */
  public enum Event {
    /** The server has answered. */
    CONNECTED,
    /** The server has not answered, or refused. */
    FAILED,
    /** The client has sent all. */
    CLIENT_END,
    /** The server has sent all. */
    SERVER_END,
    /** All data and both ends have been handed on. */
    FLUSHED,
    /** One side has broken off. */
    BROKEN,
    /** No byte has come for a while. */
    IDLE,
    /** The module ends. */
    DRAINED
  }

  /** Actions. */
  public enum Action {
    /** Reads both sides. */
    START,
    /** Ends the data to the server, behind all data before. */
    END_SERVER,
    /** Ends the data to the client, behind all data before. */
    END_CLIENT,
    /** Closes both sides. */
    CLOSE,
    /** Closes both sides by a RST. */
    BREAK_OFF,
    /** Does nothing: the event comes late, or has no meaning in the state. */
    IGNORE
  }

  /** The table. */
  public static final TransitionTable<State, Event, Action> TABLE =
      new TransitionTable<>(State.class, Event.class, IGNORE);

  static {
    Set<State> alive = EnumSet.complementOf(EnumSet.of(OVER));
    TABLE.on(CONNECTING, Event.CONNECTED, OPEN, START);
    TABLE.on(CONNECTING, Event.FAILED, OVER, BREAK_OFF);
    TABLE.on(OPEN, Event.CLIENT_END, CLIENT_ENDED, END_SERVER);
    TABLE.on(OPEN, Event.SERVER_END, SERVER_ENDED, END_CLIENT);
    TABLE.on(CLIENT_ENDED, Event.SERVER_END, ENDING, END_CLIENT);
    TABLE.on(SERVER_ENDED, Event.CLIENT_END, ENDING, END_SERVER);
    TABLE.on(ENDING, Event.FLUSHED, OVER, CLOSE);
    TABLE.on(alive, Event.BROKEN, OVER, BREAK_OFF);
    TABLE.on(alive, Event.IDLE, OVER, BREAK_OFF);
    TABLE.on(alive, Event.DRAINED, OVER, BREAK_OFF);
  }

  private RelayTransitions() {}
}
