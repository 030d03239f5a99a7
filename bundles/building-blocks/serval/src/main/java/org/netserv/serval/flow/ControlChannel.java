// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.flow;

import java.util.function.IntConsumer;
import org.netserv.serval.ControlFlags;
import org.netserv.serval.flow.ChannelTransitions.Action;
import org.netserv.serval.flow.ChannelTransitions.Event;
import org.netserv.serval.flow.ChannelTransitions.State;
import org.netserv.serval.flow.TransitionTable.Transition;

/** The sending half of a control channel: vernos, the message that waits, its timer. */
final class ControlChannel {
  static final int TRIES = 15;
  static final long NEVER = Long.MAX_VALUE;

  private final IntConsumer transmit;
  private final Runnable giveUp;
  private final RoundTrip roundTrip = new RoundTrip();
  private State state = State.QUIET;
  private int next;
  private int fin; // verno of the first message with the FIN that waits
  private int flags;
  private int inherited;
  private int tries;
  private long sentAt;
  private long dueAt = NEVER;
  private long unexpected;

  /**
   * Makes a quiet channel.
   *
   * @param verno of the first message, at random
   * @param transmit sends a message with these flags; its verno is {@link #last}
   * @param giveUp is run when the peer is silent
   */
  ControlChannel(int verno, IntConsumer transmit, Runnable giveUp) {
    this.next = verno;
    this.transmit = transmit;
    this.giveUp = giveUp;
  }

  /** Sends a message, with the flags of the one that waits. */
  void post(int wanted, long now) {
    fire(Event.POST, wanted, now);
  }

  /**
   * Takes an acknowledgement.
   *
   * @return the flags of the message that is acknowledged by it, 0 if none is
   */
  int acked(int ackno, long now) {
    int before = waiting();
    if (ackno == next) {
      fire(Event.ACKED, 0, now);
    } else if (ControlFlags.has(before, ControlFlags.FIN) && covers(ackno) && ackno - fin > 0) {
      fire(Event.ACKED_IN_PART, 0, now);
    }
    return before & ~waiting();
  }

  /** Tells whether an ackno is of a message that was sent. */
  boolean covers(int ackno) {
    return ackno - next <= 0;
  }

  void due(long now) {
    if (dueAt <= now) {
      fire(tries >= TRIES ? Event.LAST_DUE : Event.DUE, 0, now);
    }
  }

  void stop() {
    fire(Event.STOP, 0, 0);
  }

  /** Returns the verno of the next message, for those that take none. */
  int next() {
    return next;
  }

  /** Returns the verno of the last message. */
  int last() {
    return next - 1;
  }

  /** Returns the flags of the message that waits, 0 if none does. */
  int waiting() {
    return state == State.WAITING ? flags : 0;
  }

  State state() {
    return state;
  }

  long dueAt() {
    return dueAt;
  }

  /** Returns the time with which a message begins to wait. */
  long patience() {
    return roundTrip.estimate();
  }

  long unexpected() {
    return unexpected;
  }

  private void fire(Event event, int wanted, long now) {
    Transition<State, Action> transition = ChannelTransitions.TABLE.of(state, event);
    state = transition.next();
    for (Action action : transition.actions()) {
      act(action, wanted, now);
    }
  }

  private void act(Action action, int wanted, long now) {
    switch (action) {
      case INHERIT -> inherited = flags;
      case NUMBER -> {
        if (ControlFlags.has(wanted & ~inherited, ControlFlags.FIN)) {
          fin = next;
        }
        flags = inherited | wanted;
        inherited = 0;
        next++;
        tries = 0;
        sentAt = now;
        roundTrip.begin();
      }
      case TRANSMIT -> {
        tries++;
        transmit.accept(flags);
      }
      case DROP_FIN -> flags &= ~ControlFlags.FIN;
      case MEASURE -> {
        if (tries == 1) {
          roundTrip.sample(now - sentAt);
        }
      }
      case BACK_OFF -> roundTrip.backOff();
      case START_TIMER -> dueAt = now + roundTrip.timeout();
      case STOP_TIMER -> dueAt = NEVER;
      case GIVE_UP -> giveUp.run();
      case UNEXPECTED -> unexpected++;
    }
  }
}
