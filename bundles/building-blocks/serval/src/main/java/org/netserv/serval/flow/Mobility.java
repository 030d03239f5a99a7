// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.flow;

import java.util.HashSet;
import java.util.Set;
import org.netserv.serval.ControlFlags;
import org.netserv.serval.Endpoint;
import org.netserv.serval.flow.MoveTransitions.Action;
import org.netserv.serval.flow.MoveTransitions.Event;
import org.netserv.serval.flow.MoveTransitions.State;
import org.netserv.serval.flow.TransitionTable.Transition;

/** The addresses of a flow, and their moves. */
final class Mobility {
  private final Sender sender;
  private final ControlChannel channel;
  private final FlowPort port;
  private State state = State.SETTLED;
  private Endpoint own;
  private Endpoint pending; // null unless a RSYN waits
  private Set<Endpoint> left = Set.of(); // since the peer has last acknowledged
  private Endpoint peer;
  private Endpoint noted; // null unless the peer has to confirm
  private long answerAt = ControlChannel.NEVER;
  private long answerWait;
  private int answers;
  private long unexpected;

  Mobility(Sender sender, ControlChannel channel, FlowPort port) {
    this.sender = sender;
    this.channel = channel;
    this.port = port;
  }

  State state() {
    return state;
  }

  /** Returns the address from which data leave. */
  Endpoint own() {
    return own;
  }

  void own(Endpoint address) {
    own = address;
  }

  /** Returns the address to which data go, null as long as the peer is not known. */
  Endpoint peer() {
    return peer;
  }

  void peer(Endpoint address) {
    peer = address;
  }

  /** Starts from another address. A peer that has heard of the old one may use it. */
  void leave(Endpoint address) {
    left(own);
    own = address;
  }

  private void left(Endpoint address) {
    left = left.isEmpty() ? new HashSet<>() : left;
    left.add(address);
  }

  /** Tells whether the peer may send to an address of this end. */
  boolean uses(Endpoint address) {
    return address.equals(own) || address.equals(pending) || left.contains(address);
  }

  /** Returns the address from which a RSYN leaves, and all that is as new. */
  Endpoint newest() {
    return pending == null ? own : pending;
  }

  /** Returns the address to which control messages go. */
  Endpoint control() {
    return noted == null ? peer : noted;
  }

  /** Starts a move of this end. */
  void move(Endpoint address, long now) {
    if (pending != null) {
      left(pending);
    }
    pending = address;
    fire(Event.MOVE, null, now);
  }

  /** Takes a RSYN that is newer than all before. */
  void moved(Endpoint from, long now) {
    fire(Event.RSYN, from, now);
  }

  /** Takes a copy of the last RSYN. False if it is none of the move that is under way. */
  boolean movedAgain(Endpoint from, long now) {
    boolean same = from.equals(noted);
    if (same) {
      fire(Event.RSYN_AGAIN, from, now);
    }
    return same;
  }

  /** Takes the acknowledgement of the last RSYN. */
  void acked(long now) {
    fire(Event.ACKED, null, now);
  }

  /** Takes an answer to a RSYN when none waits. */
  void ackedAgain(long now) {
    fire(Event.ACKED_AGAIN, null, now);
  }

  /** Takes an acknowledgement by a peer that has got all messages of this end. */
  void confirm(Endpoint from, long now) {
    if (from.equals(noted)) {
      fire(Event.CONFIRM, from, now);
    }
  }

  void due(long now) {
    if (answerAt <= now) {
      answers++;
      answerWait = Math.min(RoundTrip.MOST, answerWait * 2);
      fire(answers >= ControlChannel.TRIES ? Event.ANSWERS_OVER : Event.ANSWER_DUE, null, now);
    }
  }

  long dueAt() {
    return answerAt;
  }

  /** Stops the timer. */
  void stop() {
    answerAt = ControlChannel.NEVER;
  }

  long unexpected() {
    return unexpected;
  }

  private void fire(Event event, Endpoint from, long now) {
    Transition<State, Action> transition = MoveTransitions.TABLE.of(state, event);
    state = transition.next();
    for (Action action : transition.actions()) {
      act(action, from, now);
    }
  }

  private void act(Action action, Endpoint from, long now) {
    switch (action) {
      case SEND_RSYN -> channel.post(ControlFlags.RSYN, now);
      case SWITCH_OWN -> {
        own = pending;
        pending = null;
        left = Set.of();
        port.ownMoved(own);
      }
      case SEND_ACK -> sender.plain(ControlFlags.ACK, channel.next(), own, control());
      case NOTE -> {
        noted = from;
        answers = 0;
        answerWait = channel.patience();
      }
      case FREEZE -> port.freeze();
      case ANSWER -> {
        sender.plain(ControlFlags.RSYN | ControlFlags.ACK, channel.next(), newest(), noted);
        answerAt = now + answerWait;
      }
      case SWITCH_PEER -> {
        peer = noted;
        discard();
        port.peerMoved(peer);
      }
      case DISCARD -> discard();
      case THAW -> port.thaw();
      case UNEXPECTED -> unexpected++;
    }
  }

  private void discard() {
    noted = null;
    answerAt = ControlChannel.NEVER;
  }
}
