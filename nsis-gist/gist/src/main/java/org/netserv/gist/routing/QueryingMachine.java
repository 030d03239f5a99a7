// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.net.InetAddress;
import java.time.Duration;
import org.netserv.gist.GistCounters;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.NetworkNotification;
import org.netserv.gist.RoutingStatus;
import org.netserv.gist.association.Association;
import org.netserv.gist.routing.Peers.Peer;
import org.netserv.gist.routing.QueryingTransitions.State;
import org.netserv.gist.routing.QueryingTransitions.Transition;
import org.netserv.gist.routing.RateLimiter.Rank;
import org.netserv.gist.wire.GistMessage;
import org.netserv.gist.wire.NetworkLayerInfo;
import org.netserv.gist.wire.QueryCookie;

/**
 * Querying-SM (RFC 5971 section 6.2). Turns each input into an event of {@link
 * QueryingTransitions}, which decides, and lets {@link QueryActions} act.
 */
final class QueryingMachine extends RoutingState implements OutstandingQueries.Querier {
  private final Handshakes handshakes;
  private final QueryTimers timers;
  private final QueryContents contents;
  private final UnprovenMessages unproven;
  private final QueryFailures failures;
  private final QueryActions actions;
  private State state = State.DORMANT;
  private Association crossing;

  QueryingMachine(
      RoutingKey key,
      StateStore store,
      Outbox outbox,
      Handshakes handshakes,
      Applications applications,
      GistCounters counters) {
    super(key, store, outbox, applications, counters);
    this.handshakes = handshakes;
    QueryMemory memory = new QueryMemory(store.sentBudget());
    timers = memory.timers();
    contents = memory.contents();
    unproven = memory.unproven();
    failures = memory.failures();
    actions = new QueryActions(this, memory, store, outbox, handshakes, counters);
  }

  @Override
  int port() {
    return DatagramSender.PORT;
  }

  @Override
  InetAddress own() {
    return actions.exchange().own();
  }

  @Override
  public boolean hasPeer() {
    return peer() != null;
  }

  /**
   * Returns the urgency of a Query. A Query of a session that has its peer is more urgent than a
   * Query of a new session.
   */
  @Override
  public Rank rank() {
    return hasPeer() ? Rank.UPKEEP : Rank.OWN;
  }

  /** Takes an event. The actions run in the next state, and stop when one ends the machine. */
  void fire(QueryEvent event, QueryInput input) {
    Transition transition = QueryingTransitions.of(state, event);
    state = transition.next();
    for (QueryAction action : transition.actions()) {
      if (!gone() || action == QueryAction.UNEXPECTED) {
        actions.perform(action, input);
      }
    }
  }

  // ---- the application

  @Override
  void send(Pending pending) {
    if (pending.request().hops() > 0) {
      contents.hops(pending.request().hops());
    }
    fire(sending(pending), QueryInput.of(pending));
    arm();
  }

  private QueryEvent sending(Pending pending) {
    if (!state.sends()) {
      return QueryEvent.SEND; // there is no transport to look at
    } else if (timers.holds()) {
      return QueryEvent.SEND_HELD;
    } else if (waitsForConnection(pending)) {
      return QueryEvent.SEND_CONNECTING;
    } else if (!sendable(pending)) {
      return QueryEvent.SEND_UNSUITED;
    }
    return actions.inDoubt() ? QueryEvent.SEND_IN_DOUBT : QueryEvent.SEND;
  }

  @Override
  void sentByDatagram(Pending pending) {
    unproven.byDatagram(pending);
  }

  @Override
  void sentByAssociation(Pending pending) {
    unproven.byAssociation(pending, association(), now());
  }

  /** Handles InvalidateRoutingState (appendix B.6). */
  @Override
  void invalidate(RoutingStatus now, byte[] forQuery, boolean urgent) {
    contents.payload(forQuery);
    QueryEvent event =
        now == RoutingStatus.BAD
            ? urgent ? QueryEvent.INVALIDATE_BAD_NOW : QueryEvent.INVALIDATE_BAD
            : urgent ? QueryEvent.INVALIDATE_TENTATIVE_NOW : QueryEvent.INVALIDATE_TENTATIVE;
    fire(event, QueryInput.NONE);
    arm();
  }

  /** Holds the next messages until the peer is known to be on the path. */
  void verify(long age, long patience) {
    boolean needless = actions.confirmedFor() <= age || timers.holds();
    fire(
        needless ? QueryEvent.VERIFY_NEEDLESS : QueryEvent.VERIFY,
        QueryInput.until(now() + patience));
    arm();
  }

  @Override
  boolean holds() {
    return timers.holds();
  }

  /** Handles SetStateLifetime (appendix B.5). */
  @Override
  void lifetime(Duration wanted) {
    if (wanted.isZero() || wanted.isNegative()) {
      fire(QueryEvent.GIVEN_UP, QueryInput.of("given up by the application"));
      return;
    }
    timers.lifetime(Pending.millis(wanted));
    fire(QueryEvent.LIFETIME, QueryInput.NONE);
    arm();
  }

  // ---- messages of the peer

  /** Takes a Response with our flow, session and application. */
  void response(Arrival arrival, GistMessage message) {
    if (!actions.exchange().has(message.find(QueryCookie.class).orElseThrow())) {
      counters.count(Counter.DROPPED_RESPONSE_UNKNOWN);
      return;
    }
    NetworkLayerInfo info = message.find(NetworkLayerInfo.class).orElseThrow();
    if (outbox.messages().ours(info)) {
      counters.count(Counter.DROPPED_OWN);
      return;
    }
    if (arrival.translated(info)) {
      counters.count(Counter.REFUSED_LEGACY_NAT);
      fire(QueryEvent.RESPONSE_TRANSLATED, QueryInput.of("a NAT is in the way"));
      return;
    }
    Peer found = store.peers().acquire(info, outbox.network().interfaceTowards(info.address()));
    if (hasPeer() && peer() != found) {
      use(null); // route change: the transport to the old peer is of no use
      failures.anotherWay();
    }
    Association before = association();
    QueryBinding binding = new QueryBinding(this, actions.exchange(), handshakes, outbox, counters);
    String failure = binding.bind(arrival, message, contents.association(), contents.secure());
    if (failure != null || gone()) {
      store.peers().release(found);
      fire(QueryEvent.RESPONSE_UNSUITED, QueryInput.of(failure));
    } else if (message.header().reply()) {
      failures.confirmed(association() != before);
      fire(QueryEvent.RESPONSE_CONFIRMED, QueryInput.of(arrival, message, found));
    } else {
      fire(QueryEvent.RESPONSE, QueryInput.of(arrival, message, found));
    }
    arm();
  }

  @Override
  void data(Arrival arrival, GistMessage message) {
    fire(QueryEvent.DATA, QueryInput.of(arrival, message, peer()));
  }

  @Override
  void noRoutingState(Association by) {
    unproven.refused(by);
    fire(failures.noState(), QueryInput.of("the peer has no routing state"));
  }

  /** Handles the peer's refusal of a Confirm of ours. */
  void confirmRefused(Association by, String reason) {
    fire(
        failures.confirmRefused(by != association()),
        QueryInput.of(by, "the peer refused the Confirm: " + reason));
  }

  @Override
  public void lastNode(String reason) {
    fire(QueryEvent.END_OF_PATH, QueryInput.of(reason));
  }

  /** Handles the refusal of our Query by a node on the way, or by the peer. */
  void refused(String reason) {
    fire(QueryEvent.QUERY_REFUSED, QueryInput.of(reason));
  }

  /** Handles a Query that was too long for a link on the way. */
  void tooLarge(int mtu) {
    outbox.sender().learnMtu(DatagramSender.target(key().mri()), mtu);
    fire(
        contents.canShrink() ? QueryEvent.QUERY_TOO_LARGE : QueryEvent.QUERY_TOO_LARGE_EVER,
        QueryInput.NONE);
  }

  // ---- associations

  @Override
  void associationLost(Association failed, boolean unconnected) {
    unproven.forgetAssociation();
    long age = actions.exchange().boundFor(now());
    QueryEvent event = failures.lost(unconnected, failed.heard(), age, head() != null);
    String reason = "the connection cannot be made";
    if (event == QueryEvent.UNCONNECTABLE && doesWithoutTls(failed)) {
      withoutTls(failed, reason);
    } else {
      fire(event, QueryInput.of(reason));
      arm();
    }
  }

  /**
   * Returns whether the session may go on without TLS. TLS is preferred to TCP, but is no condition
   * unless the application asked for it.
   */
  @Override
  boolean doesWithoutTls(Association failed) {
    return failed.secure() && !secrecy() && handshakes.associations().avoidTls(peer().info());
  }

  @Override
  void withoutTls(Association failed, String reason) {
    failures.anotherWay();
    fire(QueryEvent.WITHOUT_TLS, QueryInput.of(failed, reason));
  }

  @Override
  void revoked(String reason) {
    fire(QueryEvent.REVOKED, QueryInput.of(reason));
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
      peer(store.peers().acquire(info, interfaceIndex));
    }
  }

  @Override
  boolean takes(Association from) {
    return super.takes(from) || (crossing != null && from == crossing);
  }

  /** Leaves the messages of this machine to the machine that takes its place. */
  void replaceBy(RespondingMachine machine) {
    machine.inherit(this);
    fire(QueryEvent.REPLACED, QueryInput.NONE);
  }

  // ---- time

  /** Sets the entry in the wheel to the first time at which something is due. */
  void arm() {
    if (!gone()) {
      store.wheel().set(this, Math.min(timers.first(), firstDeadline()));
    }
  }

  @Override
  protected void due() {
    long now = now();
    if (timers.holdOver(now)) {
      fire(QueryEvent.HOLD_OVER, QueryInput.NONE);
    }
    boolean late = firstDeadline() <= now;
    if (late) {
      fire(QueryEvent.REQUEST_LATE, QueryInput.NONE);
    }
    if (late && !hasPeer() && head() == null) {
      fire(QueryEvent.NO_NODE, QueryInput.of(NetworkNotification.NO_RESPONSE));
    } else if (timers.inactive(now)) {
      fire(QueryEvent.INACTIVE, QueryInput.of("inactive"));
    } else if (timers.expired(now)) {
      fire(QueryEvent.EXPIRED, QueryInput.of("not refreshed in time"));
    } else if (timers.retryDue(now)) {
      fire(
          actions.exchange().unanswered(outbox.sender().delay(rank()), hasPeer()),
          QueryInput.of(NetworkNotification.NO_RESPONSE));
    } else if (timers.refreshDue(now)) {
      fire(QueryEvent.REFRESH_DUE, QueryInput.NONE);
    }
    arm();
  }

  @Override
  void remove() {
    unproven.forgetAssociation();
    super.remove();
  }
}
