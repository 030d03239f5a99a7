// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

/**
 * The state machine of one server. The link sends an OPTIONS request when {@link #isDue} says so,
 * and tells the machine how it went:
 *
 * <pre>
 *              ANSWERED   UNANSWERED                              BARRED
 *   UNKNOWN    ALIVE      UNKNOWN; the third in a row: DEAD       UNKNOWN
 *   ALIVE      ALIVE      SUSPECT                                 SUSPECT
 *   SUSPECT    ALIVE      SUSPECT; the third in a row: DEAD       SUSPECT; likewise
 *   DEAD       ALIVE      DEAD                                    DEAD
 * </pre>
 *
 * A server that the system never lets the module ask stays UNKNOWN, and is tried once a minute. A
 * late answer is an answer.
 */
final class ServerWatch {
  /** The fate of a request. */
  enum Event {
    ANSWERED,
    /** No answer has come in time. */
    UNANSWERED,
    /** The system did not take the request. */
    BARRED
  }

  static final int STRIKES = 3;
  static final long PATIENCE_MILLIS = 2_000;
  static final long AGAIN_MILLIS = 1_000;
  static final long BLIND_MILLIS = 60_000;

  private final long interval;
  private ServerState state = ServerState.UNKNOWN;
  private int strikes; // requests without an answer since the last answer
  private boolean waiting;
  private long next; // when to ask, or when to stop waiting

  /**
   * @param interval milliseconds from one request to the next while the server answers
   * @param now milliseconds of a monotonic clock
   */
  ServerWatch(long interval, long now) {
    this.interval = interval;
    next = now;
  }

  ServerState state() {
    return state;
  }

  /** Tells whether a request is to be sent now. Calls UNANSWERED itself when patience ends. */
  boolean isDue(long now) {
    if (waiting && now - next >= 0) {
      event(Event.UNANSWERED, now);
    }
    return !waiting && now - next >= 0;
  }

  /** Takes note of a request that was sent. */
  void asked(long now) {
    waiting = true;
    next = now + PATIENCE_MILLIS;
  }

  /** Takes an event, in any state. */
  void event(Event event, long now) {
    strikes = event == Event.ANSWERED ? 0 : Math.min(strikes + 1, STRIKES);
    boolean out = strikes == STRIKES;
    state =
        switch (event) {
          case ANSWERED -> ServerState.ALIVE;
          case UNANSWERED ->
              switch (state) {
                case UNKNOWN -> out ? ServerState.DEAD : ServerState.UNKNOWN;
                case ALIVE -> ServerState.SUSPECT;
                case SUSPECT -> out ? ServerState.DEAD : ServerState.SUSPECT;
                case DEAD -> ServerState.DEAD;
              };
          case BARRED ->
              switch (state) {
                case UNKNOWN -> ServerState.UNKNOWN;
                case ALIVE -> ServerState.SUSPECT;
                case SUSPECT -> out ? ServerState.DEAD : ServerState.SUSPECT;
                case DEAD -> ServerState.DEAD;
              };
        };
    waiting = false;
    next = now + pause(out);
  }

  private long pause(boolean out) {
    return switch (state) {
      case ALIVE -> interval;
      case SUSPECT, DEAD -> AGAIN_MILLIS;
      case UNKNOWN -> out ? BLIND_MILLIS : AGAIN_MILLIS;
    };
  }
}
