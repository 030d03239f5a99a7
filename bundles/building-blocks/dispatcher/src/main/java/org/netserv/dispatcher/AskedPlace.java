// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import java.util.List;
import org.netserv.host.Ring;
import org.netserv.packet.Relay;

/** One place of the table, from the first question about it until it is given back. */
abstract class AskedPlace {
  private static final int MOST_SECONDS = 0xffff;
  private static final int BYTE = 0xff;

  private final RelayTable table;
  private final int place;
  private final List<String> refusals;

  /** The numbers of the questions about this place are these and all between. */
  private int first;

  private volatile int last;
  private volatile boolean ended;

  /**
   * @param refusals names of the reasons in an answer
   */
  AskedPlace(RelayTable table, int place, List<String> refusals) {
    this.table = table;
    this.place = place;
    this.refusals = refusals;
  }

  static void check(int seconds) {
    if (seconds < 1 || seconds > MOST_SECONDS) {
      throw new IllegalArgumentException("seconds: " + seconds);
    }
  }

  /** Notes the number of the first question. */
  final void begin(int number) {
    first = number;
    last = number;
  }

  /** Returns the number of the first question. */
  final int first() {
    return first;
  }

  /** Returns the number of the last question. */
  final int last() {
    return last;
  }

  /** Asks again with other seconds, and returns the number of the question. */
  abstract int askAgain(int seconds);

  /**
   * Returns the last answer about this place, or 0 if there is none. An answer to a former user of
   * the place has a number outside this one's.
   */
  final long answer() {
    long answer = table.answer(place);
    return Integer.compareUnsigned((int) answer - first, last - first) <= 0 ? answer : 0;
  }

  public Relay.State state() {
    if (ended) {
      return Relay.State.ENDED;
    }
    if (table.waits()) {
      table.flush();
    }
    long answer = answer();
    int state = (int) (answer >>> Ring.ANSWER_STATE) & BYTE;
    if (state == Ring.RELAY_ACTIVE) {
      return Relay.State.ACTIVE; // perhaps with a refresh under way
    }
    if (state == Ring.RELAY_FREE || (int) answer != last) {
      return Relay.State.ASKED;
    }
    return state == Ring.RELAY_REFUSED ? Relay.State.REFUSED : Relay.State.ENDED;
  }

  public String refusal() {
    if (state() != Relay.State.REFUSED) {
      return "";
    }
    int refused = (int) (answer() >>> Ring.ANSWER_REFUSED) & BYTE;
    return refused < refusals.size() ? refusals.get(refused) : "";
  }

  public synchronized void refresh(int seconds) {
    check(seconds);
    if (ended) {
      throw new IllegalStateException("given back");
    }
    last = askAgain(seconds);
  }

  final boolean isOver() {
    return ended;
  }

  /** Ends the use of the place. The caller gives the place back. */
  final void over() {
    ended = true;
  }
}
