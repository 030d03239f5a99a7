// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.flow;

import java.util.EnumSet;
import java.util.Set;
import org.netserv.serval.ControlFlags;
import org.netserv.serval.ControlMessage;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.Way;
import org.netserv.serval.flow.FlowTransitions.Action;
import org.netserv.serval.flow.FlowTransitions.Event;
import org.netserv.serval.flow.FlowTransitions.State;
import org.netserv.serval.flow.TransitionTable.Transition;

/**
 * One end of a flow. It turns messages, calls and time into events of its three tables, and carries
 * out their actions by a {@link FlowPort}.
 */
public final class Flow {
  /** Milliseconds of RESPOND, FINWAIT2 and TIMEWAIT. */
  static final long WAIT = 60_000;

  private static final Set<State> BEFORE_PEER = EnumSet.of(State.CLOSED, State.REQUEST, State.OVER);

  private final FlowIdentity identity;
  private final ServiceId target;
  private final FlowPort port;
  private final Remote remote = new Remote();
  private final Sender sender;
  private final ControlChannel channel;
  private final Mobility mobility;
  private final Repetition repetition = new Repetition(); // of a client's handshake
  private final boolean client;
  private State state = State.CLOSED;
  private boolean movedEarly; // the server, before the client has acknowledged
  private int peerAbilities;
  private long waitUntil = ControlChannel.NEVER;
  private long time;
  private long unexpected;

  private Flow(
      FlowIdentity identity,
      int next,
      Endpoint own,
      ServiceId target,
      FlowPort port,
      boolean client) {
    this.identity = identity;
    this.target = target;
    this.port = port;
    this.client = client;
    sender = new Sender(identity, remote, port);
    channel = new ControlChannel(next, this::transmit, this::giveUp);
    mobility = new Mobility(sender, channel, port);
    mobility.own(own);
  }

  /** Makes the flow of a client, which has to {@link #connect}. */
  public static Flow client(FlowIdentity identity, Endpoint own, ServiceId target, FlowPort port) {
    return new Flow(identity, identity.verno(), own, target, port, true);
  }

  /** Makes the flow of a server for a SYN, which it has to {@link #take}. */
  public static Flow server(FlowIdentity identity, Endpoint own, ServiceId service, FlowPort port) {
    return new Flow(identity, identity.verno(), own, service, port, false);
  }

  /**
   * Makes the flow of a server for a SYN that {@link #answer} answered. It has to {@link #prove}.
   */
  public static Flow proven(FlowIdentity identity, Endpoint own, ServiceId service, FlowPort port) {
    return new Flow(identity, identity.verno() + 1, own, service, port, false);
  }

  /** Returns the SYN-ACK of a server that keeps no state for the SYN. */
  public static Outgoing answer(
      FlowIdentity identity, ControlMessage syn, Way way, Endpoint own, Endpoint client) {
    int flags = ControlFlags.SYN | ControlFlags.ACK;
    ControlMessage message =
        new ControlMessage(
            identity.flowId(),
            syn.sourceFlow(),
            flags,
            identity.abilities(),
            identity.verno(),
            syn.verno() + 1,
            identity.nonce());
    Endpoint to = way.back() == null ? client : way.back();
    return new Outgoing(message, own, to, null, 0, way.with(own));
  }

  // ---- calls

  /** Sends the SYN of a client. The flow of a server does nothing. */
  public void connect(long now) {
    if (client) {
      fire(Event.CONNECT, now);
    }
  }

  /** Closes after all data. */
  public void close(long now) {
    fire(Event.CLOSE, now);
  }

  /** Closes with data that nobody has read. */
  public void abort(long now) {
    fire(Event.ABORT, now);
  }

  /** Moves to another address of this host. Until the handshake is over, it starts from there. */
  public void move(Endpoint address, long now) {
    time = now;
    if (FlowTransitions.OPEN.contains(state)) {
      mobility.move(address, now);
    } else {
      movedEarly = state == State.RESPOND;
      if (movedEarly) {
        mobility.leave(address);
      } else {
        mobility.own(address);
      }
      if (channel.waiting() != 0) {
        transmit(channel.waiting());
      }
    }
  }

  /** Does all that is due. */
  public void due(long now) {
    time = now;
    channel.due(now);
    mobility.due(now);
    if (repetition.isDue(now)) {
      repeat(now);
    }
    if (waitUntil <= now) {
      waitUntil = ControlChannel.NEVER;
      fire(Event.LATE, now);
    }
  }

  /** Returns the time at which something is due, {@code Long.MAX_VALUE} if nothing is. */
  public long dueAt() {
    long timers = Math.min(channel.dueAt(), mobility.dueAt());
    return Math.min(Math.min(waitUntil, repetition.dueAt()), timers);
  }

  // ---- messages

  /**
   * Takes a control message.
   *
   * @param capability the abilities in CAPABILITY, 0 if absent
   * @param from the address of the peer: in a SYN-ACK the last address of SOURCE, if it has one,
   *     else the IP source
   */
  public FlowRefusal take(ControlMessage message, int capability, Endpoint from, long now) {
    return take(message, capability, Way.STRAIGHT, from, now);
  }

  /**
   * Takes a control message.
   *
   * @param way the way of a SYN, which the SYN-ACK shows; straight for other messages
   */
  public FlowRefusal take(
      ControlMessage message, int capability, Way way, Endpoint from, long now) {
    time = now;
    if (!ControlFlags.areSound(message.flags())) {
      return FlowRefusal.FLAGS;
    }
    boolean syn = message.has(ControlFlags.SYN) && !message.has(ControlFlags.ACK);
    if (message.destinationFlow() != (syn ? 0 : identity.flowId())) {
      return FlowRefusal.WRONG_FLOW;
    }
    if (message.has(ControlFlags.RST)) {
      return reset(message, now);
    }
    if (message.sourceFlow() == 0) {
      return FlowRefusal.WRONG_FLOW;
    }
    if (message.has(ControlFlags.SYN)) {
      return syn ? syn(message, way, from, now) : synAck(message, from, now);
    }
    return other(message, capability, from, now);
  }

  /** Data of the peer have come, so that it has the flow. */
  public void heard() {
    repetition.stop();
  }

  /** Takes the third message of a handshake that {@link #answer} has begun. */
  public FlowRefusal prove(ControlMessage message, int capability, Endpoint from, long now) {
    if (client || state != State.CLOSED) {
      return FlowRefusal.UNEXPECTED;
    }
    remote.learn(message, message.verno() - 1);
    mobility.peer(from);
    peerAbilities = identity.abilities() == 0 ? 0 : capability;
    return fire(Event.PROVEN, now);
  }

  /** A RST has the sender's nonce, or that of this end if the peer does not know the flow. */
  private FlowRefusal reset(ControlMessage message, long now) {
    if (message.nonce() != identity.nonce() && !remote.hasNonce(message)) {
      return FlowRefusal.WRONG_NONCE;
    }
    return fire(Event.RST, now);
  }

  private FlowRefusal syn(ControlMessage message, Way way, Endpoint from, long now) {
    if (client || state == State.OVER) {
      return FlowRefusal.UNEXPECTED;
    }
    if (state == State.CLOSED) {
      remote.learn(message);
      remote.way(way);
      mobility.peer(from);
      return fire(Event.SYN, now);
    }
    if (!remote.hasFlow(message)) {
      return FlowRefusal.WRONG_FLOW;
    }
    if (!remote.hasNonce(message)) {
      return FlowRefusal.WRONG_NONCE;
    }
    if (!remote.isFirst(message)) {
      return FlowRefusal.STALE;
    }
    if (state == State.RESPOND) {
      remote.way(way);
      mobility.peer(from); // the client may have moved since
    }
    return fire(Event.SYN, now);
  }

  private FlowRefusal synAck(ControlMessage message, Endpoint from, long now) {
    if (!client || state == State.CLOSED || state == State.OVER) {
      return FlowRefusal.UNEXPECTED;
    }
    if (state == State.REQUEST) {
      if (channel.acked(message.ackno(), now) == 0) {
        return FlowRefusal.WRONG_ACKNO;
      }
      remote.learn(message);
      mobility.peer(from);
      peerAbilities = message.abilities();
      repetition.start(now);
      return fire(Event.SYN_ACK, now);
    }
    if (remote.hasFlow(message) && remote.hasNonce(message)) {
      return remote.isFirst(message) ? fire(Event.SYN_ACK, now) : FlowRefusal.STALE;
    }
    if (message.ackno() == identity.verno() + 1) {
      sender.refuse(message, mobility.own(), from);
      return FlowRefusal.ANOTHER_INSTANCE;
    }
    return FlowRefusal.WRONG_NONCE;
  }

  /** Takes ACK, FIN, RSYN and their combinations. */
  private FlowRefusal other(ControlMessage message, int capability, Endpoint from, long now) {
    FlowRefusal refusal = check(message);
    if (refusal != FlowRefusal.OK) {
      return refusal;
    }
    repetition.stop();
    if (!client && capability != 0 && identity.abilities() != 0) {
      peerAbilities = capability;
    }
    int ahead = remote.ahead(message);
    acknowledgement(message, from, now);
    if (state == State.OVER) {
      return FlowRefusal.OK;
    }
    if (ControlFlags.isNumbered(message.flags())) {
      return ahead < 0 ? again(message, ahead, from, now) : next(message, from, now);
    }
    if (ahead == 0 && message.flags() == ControlFlags.ACK) {
      mobility.confirm(from, now);
    }
    return FlowRefusal.OK;
  }

  private FlowRefusal check(ControlMessage message) {
    if (BEFORE_PEER.contains(state)) {
      return FlowRefusal.UNEXPECTED;
    }
    if (!remote.hasFlow(message)) {
      return FlowRefusal.WRONG_FLOW;
    }
    if (!remote.hasNonce(message)) {
      return FlowRefusal.WRONG_NONCE;
    }
    if (!channel.covers(message.ackno())) {
      return FlowRefusal.WRONG_ACKNO;
    }
    if (state != State.RESPOND) {
      return FlowRefusal.OK;
    }
    if (message.ackno() != channel.next()) {
      return FlowRefusal.WRONG_ACKNO;
    }
    return remote.ahead(message) < 0 ? FlowRefusal.STALE : FlowRefusal.OK;
  }

  private void acknowledgement(ControlMessage message, Endpoint from, long now) {
    int acknowledged = channel.acked(message.ackno(), now);
    if (ControlFlags.has(acknowledged, ControlFlags.SYN) && !message.has(ControlFlags.RSYN)) {
      mobility.peer(from);
    }
    if (ControlFlags.has(acknowledged, ControlFlags.SYN | ControlFlags.FIN)) {
      fire(Event.ACKED, now);
    }
    if (ControlFlags.has(acknowledged, ControlFlags.RSYN)) {
      mobility.acked(now);
    } else if (message.has(ControlFlags.RSYN)
        && message.has(ControlFlags.ACK)
        && message.ackno() == channel.next()) {
      mobility.ackedAgain(now);
    }
  }

  private FlowRefusal again(ControlMessage message, int ahead, Endpoint from, long now) {
    boolean lastMove = message.has(ControlFlags.RSYN) && ahead == -1;
    if (!lastMove || !mobility.movedAgain(from, now)) {
      acknowledge();
    }
    return FlowRefusal.STALE;
  }

  private FlowRefusal next(ControlMessage message, Endpoint from, long now) {
    remote.accept(message);
    if (message.has(ControlFlags.RSYN)) {
      mobility.moved(from, now);
    }
    return message.has(ControlFlags.FIN) ? fire(Event.FIN, now) : FlowRefusal.OK;
  }

  // ---- actions

  private FlowRefusal fire(Event event, long now) {
    time = now;
    Transition<State, Action> transition = FlowTransitions.TABLE.of(state, event);
    if (transition.next() != state) {
      state = transition.next();
      waitUntil = ControlChannel.NEVER;
    }
    for (Action action : transition.actions()) {
      act(action, now);
    }
    return transition.actions().contains(Action.UNEXPECTED)
        ? FlowRefusal.UNEXPECTED
        : FlowRefusal.OK;
  }

  private void act(Action action, long now) {
    switch (action) {
      case SEND_SYN -> channel.post(ControlFlags.SYN, now);
      case SEND_SYN_ACK -> synAck(now);
      case SEND_HANDSHAKE_ACK -> handshake();
      case SEND_FIN -> channel.post(ControlFlags.FIN, now);
      case SEND_ACK -> acknowledge();
      case SEND_RST -> plain(ControlFlags.RST | ControlFlags.ACK);
      case START_WAIT -> waitUntil = now + WAIT;
      case TELL_CONNECTED -> connected(now);
      case TELL_PEER_CLOSED -> port.peerClosed();
      case TELL_RESET -> port.reset();
      case TELL_SILENT -> port.silent();
      case FORGET -> {
        channel.stop();
        mobility.stop();
        repetition.stop();
        port.forget();
      }
      case UNEXPECTED -> unexpected++;
    }
  }

  /** A client may have taken the SYN-ACK from before a move, so the move is told again. */
  private void connected(long now) {
    port.connected();
    if (movedEarly) {
      mobility.move(mobility.own(), now);
    }
  }

  /**
   * Does what a SYN-ACK that comes again does. A message with another verno ends that, because its
   * verno would be in the third message, and not prove a flow.
   */
  private void repeat(long now) {
    if (channel.last() == identity.verno()) {
      fire(Event.SYN_ACK, now);
    } else {
      repetition.stop();
    }
  }

  private void synAck(long now) {
    if (channel.waiting() == 0) {
      channel.post(ControlFlags.SYN | ControlFlags.ACK, now);
    } else {
      transmit(channel.waiting());
    }
  }

  private void handshake() {
    int capability = peerAbilities == 0 ? 0 : identity.abilities();
    sender.handshake(channel.next(), mobility.own(), mobility.control(), target, capability);
  }

  private void acknowledge() {
    plain(ControlFlags.ACK);
  }

  private void plain(int flags) {
    sender.plain(flags, channel.next(), mobility.own(), mobility.control());
  }

  /** Sends the message that waits. One with a RSYN leaves from the new address. */
  private void transmit(int flags) {
    boolean moves = ControlFlags.has(flags, ControlFlags.RSYN);
    Endpoint from = moves ? mobility.newest() : mobility.own();
    sender.numbered(flags, channel.last(), from, mobility.control(), target);
  }

  private void giveUp() {
    fire(Event.TRIES_OVER, time);
  }

  // ---- views

  /** Returns the name of the state, for the operator. */
  public String state() {
    return state.name();
  }

  /** Returns the name of the state of moves, for the operator. */
  public String moveState() {
    return mobility.state().name();
  }

  /** Tells whether the handshake is over, so that data may come. */
  public boolean takesData() {
    return FlowTransitions.OPEN.contains(state);
  }

  /** Returns the peer's flowID, 0 as long as the peer is not known. */
  public int peerFlow() {
    return remote.flow();
  }

  public boolean isOver() {
    return state == State.OVER;
  }

  /** Returns the address from which data leave. */
  public Endpoint own() {
    return mobility.own();
  }

  /**
   * Tells whether the peer may send to an address of this end: the present one, or one that the
   * peer may have noted since. The others are not needed any more.
   */
  public boolean uses(Endpoint address) {
    return mobility.uses(address);
  }

  /** Returns the address to which data go, null as long as the peer is not known. */
  public Endpoint peer() {
    return mobility.peer();
  }

  /** Returns the abilities that both ends have. */
  public int abilities() {
    return peerAbilities & identity.abilities();
  }

  public FlowIdentity identity() {
    return identity;
  }

  /** Returns the events that had no meaning in their state. */
  public long unexpected() {
    return unexpected + mobility.unexpected() + channel.unexpected();
  }
}
