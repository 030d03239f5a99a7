// SPDX-License-Identifier: Apache-2.0
package org.netserv.loadmonitor;

/**
 * The monitor's state machine, as one table:
 *
 * <pre>
 *               HEAVY             READY               CALM                 DONE           FAILED
 *   IDLE        deploy > ASKING   -                   -                    -              -
 *   ASKING      -                 > CONTROLLING       -                    -              > RESTING
 *   CONTROLLING -                 -                   remove > RELEASING   -              -
 *   RELEASING   -                 -                   -                    > IDLE         > RESTING
 *   RESTING     -                 -                   -                    > IDLE         -
 * </pre>
 *
 * A dash leaves the state as it is. HEAVY and CALM are told again and again while they hold, so an
 * event that comes in the wrong state is not lost.
 */
final class MonitorMachine {
  enum State {
    /** Nothing is deployed. */
    IDLE,
    /** SETUPs are under way, and feedback already goes out. */
    ASKING,
    /** At least one edge has answered feedback. */
    CONTROLLING,
    /** Control has ended, and REMOVEs are under way. */
    RELEASING,
    /** Every edge refused. The next attempt waits. */
    RESTING
  }

  enum Event {
    /** The server has more work than it can do. */
    HEAVY,
    /** An edge has answered feedback. */
    READY,
    /** The load has been below the server's capacity for a while. */
    CALM,
    /** The REMOVEs were answered, or the rest is over. */
    DONE,
    /** No edge took the SETUP, or a REMOVE was refused. */
    FAILED
  }

  /** An act of the monitor on a transition. */
  enum Act {
    NONE,
    DEPLOY,
    REMOVE
  }

  private State state = State.IDLE;

  State state() {
    return state;
  }

  /** Takes an event, and returns the act that goes with it. */
  Act take(Event event) {
    State before = state;
    state = next(before, event);
    if (before == state) {
      return Act.NONE;
    }
    return switch (state) {
      case ASKING -> Act.DEPLOY;
      case RELEASING -> Act.REMOVE;
      default -> Act.NONE;
    };
  }

  private static State next(State state, Event event) {
    return switch (state) {
      case IDLE -> event == Event.HEAVY ? State.ASKING : state;
      case ASKING -> asking(event);
      case CONTROLLING -> event == Event.CALM ? State.RELEASING : state;
      case RELEASING -> releasing(event);
      case RESTING -> event == Event.DONE ? State.IDLE : state;
    };
  }

  private static State asking(Event event) {
    return switch (event) {
      case READY -> State.CONTROLLING;
      case FAILED -> State.RESTING;
      default -> State.ASKING;
    };
  }

  private static State releasing(Event event) {
    return switch (event) {
      case DONE -> State.IDLE;
      case FAILED -> State.RESTING;
      default -> State.RELEASING;
    };
  }
}
