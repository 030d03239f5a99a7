// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.MessageStatus;
import org.netserv.gist.NetworkNotification;
import org.netserv.gist.RoutingStatus;
import org.netserv.gist.association.Association;
import org.netserv.gist.routing.Peers.Peer;
import org.netserv.gist.routing.QueryActions.Input;
import org.netserv.gist.routing.QueryingTransitions.Action;
import org.netserv.gist.routing.QueryingTransitions.Event;
import org.netserv.gist.routing.QueryingTransitions.State;
import org.netserv.gist.routing.QueryingTransitions.Transition;
import org.netserv.gist.routing.RateLimiter.Rank;
import org.netserv.gist.wire.GistMessage;
import org.netserv.gist.wire.NetworkLayerInfo;
import org.netserv.gist.wire.QueryCookie;

/**
 * Querying-SM (RFC 5971 section 6.2). Turns each input into an event of {@link
 * QueryingTransitions}, which decides, and lets {@link QueryActions} act. The fields are the memory
 * of one session, on which the actions work.
 */
final class QueryingMachine extends RoutingState implements OutstandingQueries.Querier {
  /** Time without messages of the application after which the state is given up, ms. */
  private static final long LIFETIME = 120_000;

  private static final int ASSOCIATION_TRIES = 2;

  /**
   * Time in ms within which a failed connection is tried again, because the peer may have
   * restarted.
   */
  private static final long CONNECT_AGAIN = 5_000;

  private final QueryActions actions;
  private State state = State.DORMANT;
  private Association crossing;

  // The timers are times of the wheel; 0 = the timer is not running.
  long noResponseAt;
  long refreshAt;
  long expiresAt;

  /** End of the time for which messages wait for a peer that is to be verified. */
  long heldUntil;

  private long inactiveAt;
  private long lifetime = LIFETIME;

  QueryExchange exchange = new QueryExchange();

  /** True when the next message begins a handshake, too. */
  boolean inDoubt;

  // The contents of the next Query.
  short hops = Messages.HOPS;
  boolean wantsAssociation;
  boolean wantsSecure;
  byte[] payload;

  /** Datagrams that were sent since the peer has proved routing state; null = none. */
  ArrayDeque<Pending> unproven;

  /** Null before a message was sent by an association. */
  SentMessages sent;

  /**
   * Reason why messages may be lost, until it is known that they are sent again; null = none are.
   */
  String doubt;

  /** Time of the last Response, in the low bits of the wheel's time. */
  int confirmedAt;

  /** True when the last Confirm was the first of this session by its association. */
  private boolean confirmedFirst;

  /** Connections that failed in a row. */
  byte failures;

  /** Handshakes begun anew since the last refresh. */
  byte restarts;

  QueryingMachine(RoutingKey key, StateContext context, QueryActions actions) {
    super(key, context);
    this.actions = actions;
  }

  @Override
  boolean isQuerying() {
    return true;
  }

  @Override
  int port() {
    return DatagramSender.PORT;
  }

  @Override
  InetAddress own() {
    return exchange.own();
  }

  /**
   * Returns the urgency of a Query. A Query of a session that has its peer is more urgent than a
   * Query of a new session.
   */
  Rank rank() {
    return hasPeer() ? Rank.UPKEEP : Rank.OWN;
  }

  @Override
  public boolean hasPeer() {
    return peer() != null;
  }

  /** Takes an event. The actions run in the next state, and stop when one ends the machine. */
  void fire(Event event, Input input) {
    Transition transition = QueryingTransitions.of(state, event);
    state = transition.next();
    for (Action action : transition.actions()) {
      if (!gone() || action == Action.UNEXPECTED) {
        actions.perform(action, this, input);
      }
    }
  }

  // ---- the application

  @Override
  void send(Pending pending) {
    touch();
    if (pending.request().hops() > 0) {
      hops = (short) pending.request().hops();
    }
    fire(sending(pending), new Input(pending, null, null, null, null, null));
    arm();
  }

  private boolean sends() {
    return state == State.ESTABLISHED || state == State.AWAITING_REFRESH;
  }

  private Event sending(Pending pending) {
    if (!sends()) {
      return Event.SEND; // there is no transport to look at
    } else if (holds()) {
      return Event.SEND_HELD;
    } else if (waitsForConnection(pending)) {
      return Event.SEND_CONNECTING;
    } else if (!sendable(pending)) {
      return Event.SEND_UNSUITED;
    }
    return inDoubt ? Event.SEND_IN_DOUBT : Event.SEND;
  }

  @Override
  void sentByDatagram(Pending pending) {
    actions.sentByDatagram(this, pending);
  }

  @Override
  void sentByAssociation(Pending pending) {
    sent = sent == null ? new SentMessages(context.store.sentBudget) : sent;
    sent.sent(pending, association(), context.store.now());
  }

  /** Handles InvalidateRoutingState (appendix B.6). */
  @Override
  void invalidate(RoutingStatus now, byte[] forQuery, boolean urgent) {
    payload = forQuery;
    Event bad = urgent ? Event.INVALIDATE_BAD_NOW : Event.INVALIDATE_BAD;
    Event tentative = urgent ? Event.INVALIDATE_TENTATIVE_NOW : Event.INVALIDATE_TENTATIVE;
    fire(now == RoutingStatus.BAD ? bad : tentative, Input.NONE);
    arm();
  }

  /** Holds the next messages until the peer is known to be on the path. */
  void verify(long age, long patience) {
    long now = context.store.now();
    if (sends() && (int) now - confirmedAt > age && !holds()) {
      heldUntil = now + patience;
      fire(Event.VERIFY, Input.NONE);
      arm();
    }
  }

  @Override
  boolean holds() {
    return heldUntil != 0;
  }

  /** Handles SetStateLifetime (appendix B.5). */
  @Override
  void lifetime(Duration wanted) {
    if (wanted.isZero() || wanted.isNegative()) {
      context.counters.count(Counter.STATE_INACTIVE);
      fire(Event.INACTIVE, Input.of(MessageStatus.NO_ROUTE, "given up by the application"));
      return;
    }
    lifetime = Pending.millis(wanted);
    touch();
    arm();
  }

  // ---- messages of the peer

  /** Takes a Response with our flow, session and application. */
  void response(Arrival arrival, GistMessage message) {
    if (!exchange.sent(message.find(QueryCookie.class).orElseThrow())) {
      context.counters.count(Counter.DROPPED_RESPONSE_UNKNOWN);
      return;
    }
    NetworkLayerInfo info = message.find(NetworkLayerInfo.class).orElseThrow();
    if (context.outbox.messages.ours(info)) {
      context.counters.count(Counter.DROPPED_OWN);
      return;
    }
    if (arrival.translated(info)) {
      context.counters.count(Counter.REFUSED_LEGACY_NAT);
      fire(Event.NO_WAY, Input.of(MessageStatus.REFUSED, "a NAT is in the way"));
      return;
    }
    Peer found = actions.acquire(info);
    if (hasPeer() && peer() != found) {
      use(null); // route change: the transport to the old peer is of no use
      failures = 0;
    }
    Association before = association();
    String failure = new QueryBinding(this, context, actions.handshakes).bind(arrival, message);
    if (failure != null || gone()) {
      fire(Event.NO_WAY, Input.of(MessageStatus.NO_ASSOCIATION, failure));
    } else {
      if (message.header().reply()) {
        confirmedFirst = association() != before;
        actions.confirmed(this);
      }
      fire(Event.RESPONSE, new Input(null, arrival, message, null, null, null));
    }
    context.store.peers.release(found);
    arm();
  }

  @Override
  void data(Arrival arrival, GistMessage message) {
    touch();
    fire(Event.DATA, new Input(null, arrival, message, null, null, null));
  }

  @Override
  void noRoutingState(Association by) {
    if (sent != null && by != null) {
      sent.refused(by);
    }
    fire(Event.NO_STATE, Input.of(by, "the peer has no routing state"));
  }

  /**
   * Handles the peer's refusal of a Confirm of ours. The peer has no routing state unless an
   * earlier Confirm installed it.
   */
  void confirmRefused(Association by, String reason) {
    if (!confirmedFirst) {
      context.counters.count(Counter.UNEXPECTED_EVENT);
      return;
    }
    fire(
        by == association() ? Event.CONFIRM_REFUSED : Event.CONFIRM_REFUSED_FORMER,
        Input.of(by, "the peer refused the Confirm: " + reason));
  }

  @Override
  public void lastNode(String reason) {
    fire(Event.END_OF_PATH, Input.of(MessageStatus.LAST_NODE, reason));
  }

  /** Handles the refusal of our Query by a node on the way, or by the peer. */
  void refused(String reason) {
    fire(Event.QUERY_REFUSED, Input.of(MessageStatus.REFUSED, reason));
  }

  /** Handles a Query that was too long for a link on the way. */
  void tooLarge(int mtu) {
    context.outbox.sender.learnMtu(DatagramSender.target(key().mri()), mtu);
    if (payload != null || !wantsAssociation) { // else the next retransmission is soon enough
      fire(Event.QUERY_TOO_LARGE, Input.NONE);
    }
  }

  // ---- associations

  /**
   * Handles the loss of an association. A peer that closes a new connection without a message
   * counts as a peer that cannot be connected to. With TLS 1.3 its refusal may show only after the
   * handshake is over for us.
   */
  @Override
  void associationLost(Association failed, boolean unconnected) {
    if (sent != null) {
      sent.clear(); // no Error can come by the association any more
    }
    boolean young = exchange.boundFor(context.store.now()) <= CONNECT_AGAIN;
    boolean unheard = unconnected || (young && !failed.heard());
    failures = (byte) (unheard ? failures + 1 : 0);
    if (failures >= ASSOCIATION_TRIES || (unconnected && !young)) {
      String reason = "the connection cannot be made";
      if (doesWithoutTls(failed)) {
        withoutTls(failed, reason);
      } else {
        fire(Event.NO_WAY, Input.of(MessageStatus.NO_ASSOCIATION, reason));
      }
      return;
    }
    Event lost = head() == null ? Event.ASSOCIATION_LOST : Event.ASSOCIATION_LOST_WANTED;
    fire(unconnected ? Event.UNCONNECTED : lost, Input.NONE);
    arm();
  }

  /**
   * Returns whether the session may go on without TLS. TLS is preferred to TCP, but is no condition
   * unless the application asked for it.
   */
  @Override
  boolean doesWithoutTls(Association failed) {
    return failed.secure() && !secrecy() && actions.handshakes.associations.avoidTls(peer().info());
  }

  @Override
  void withoutTls(Association failed, String reason) {
    failures = 0;
    fire(Event.WITHOUT_TLS, Input.of(failed, reason));
  }

  @Override
  void revoked(String reason) {
    fire(Event.NO_WAY, Input.of(MessageStatus.NO_ASSOCIATION, reason));
  }

  // ---- a peer that looks for us, too

  /**
   * Returns whether this state gives way to state that a downstream Query of the peer found,
   * because that state is better than state of our upstream Query (section 5.8.1.3). Messages that
   * wait for a connection are not left behind.
   */
  boolean yields() {
    return key().mri().upstream() && (head() == null || !waitsForConnection(head()));
  }

  /**
   * Handles a Confirm of a peer that looked for us while we looked for it. The peer's messages by
   * its association are right.
   */
  void crossed(Association theirs, NetworkLayerInfo info, int interfaceIndex) {
    crossing = theirs;
    if (!hasPeer()) {
      peer(context.store.peers.acquire(info, interfaceIndex));
    }
  }

  @Override
  boolean takes(Association from) {
    return super.takes(from) || (crossing != null && from == crossing);
  }

  /** Leaves the messages of this machine to the machine that takes its place. */
  void replaceBy(RespondingMachine machine) {
    machine.inherit(this);
    fire(Event.REPLACED, Input.NONE);
  }

  // ---- time

  private void touch() {
    inactiveAt = context.store.now() + lifetime;
  }

  /** Sets the entry in the wheel to the first time at which something is due. */
  void arm() {
    if (!gone()) {
      long next = Math.min(inactiveAt, firstDeadline());
      next = Math.min(next, Math.min(running(noResponseAt), running(refreshAt)));
      next = Math.min(next, Math.min(running(expiresAt), running(heldUntil)));
      context.store.wheel.set(this, next);
    }
  }

  private static long running(long at) {
    return at == 0 ? Long.MAX_VALUE : at;
  }

  private static boolean due(long at, long now) {
    return at != 0 && now >= at;
  }

  @Override
  protected void due() {
    long now = context.store.now();
    if (due(heldUntil, now)) {
      heldUntil = 0;
      fire(Event.HOLD_OVER, Input.NONE);
    }
    boolean late = firstDeadline() <= now;
    if (late) {
      fire(Event.REQUEST_LATE, Input.NONE);
    }
    if (late && !hasPeer() && head() == null) {
      silence();
    } else if (now >= inactiveAt) {
      context.counters.count(Counter.STATE_INACTIVE);
      fire(Event.INACTIVE, Input.of(MessageStatus.NO_ROUTE, "inactive"));
    } else if (due(expiresAt, now)) {
      context.counters.count(Counter.STATE_EXPIRED);
      fire(Event.EXPIRED, Input.of(MessageStatus.NO_RESPONSE, "not refreshed in time"));
    } else if (due(noResponseAt, now)) {
      fire(Event.NO_RESPONSE, Input.NONE);
    } else if (due(refreshAt, now)) {
      fire(Event.REFRESH_DUE, Input.NONE);
    }
    arm();
  }

  /** Ends the wait for a Response after the last Query. */
  void silence() {
    context.counters.count(Counter.HANDSHAKE_FAILED);
    fire(
        hasPeer() ? Event.PEER_SILENT : Event.NO_NODE,
        Input.of(MessageStatus.NO_RESPONSE, NetworkNotification.NO_RESPONSE));
  }

  @Override
  void remove() {
    if (sent != null) {
      sent.clear();
    }
    super.remove();
  }
}
