// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.net.InetAddress;
import java.time.Duration;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.MessageStatus;
import org.netserv.gist.NetworkNotification.Kind;
import org.netserv.gist.RoutingStatus;
import org.netserv.gist.association.Association;
import org.netserv.gist.routing.Peers.Peer;
import org.netserv.gist.routing.RateLimiter.Rank;
import org.netserv.gist.wire.GistMessage;
import org.netserv.gist.wire.NetworkLayerInfo;

/**
 * Responding-SM (RFC 5971 section 6.3), by policy 3 of it: it comes to be with a right Confirm, so
 * there is no Awaiting Confirm, and Queries of strangers cost no state.
 *
 * <pre>
 *   event               ESTABLISHED                          AWAITING_REFRESH
 *   Query, R=1          Response, -> AWAITING_REFRESH        Response, waits anew
 *   Query, R=0          Response, renew                      Response, -> ESTABLISHED, renew
 *   Confirm, newer      renew                                -> ESTABLISHED
 *   Confirm, not newer  ignored                              ignored
 *   Data                deliver                              deliver
 *   send                send, or keep until an association   as in ESTABLISHED
 *   No_Confirm          -                                    Response, or over
 *   validity over       over                                 over
 *   No Routing State    over                                 over
 *   association failed  go on without                        go on without
 *   peer not allowed    over                                 over
 *   lifetime zero       over                                 over
 * </pre>
 */
final class RespondingMachine extends RoutingState {
  private final Handshakes handshakes;
  private InetAddress own;
  private final InetAddress countedFor;
  private char port;

  /** Time of the cookie of the last Confirm. An older cookie is a replay. */
  private int confirmed;

  private long expiresAt;

  /** The Response that is repeated until its Confirm comes; null in ESTABLISHED. */
  private GistMessage response;

  private long retryAt;
  private int interval;

  /** Low bits of the time of the last answer to the peer's Query that went before others. */
  private int answeredAt;

  /**
   * Makes a machine that is not in the table yet.
   *
   * @param peer address that sent the Confirm; the table counts this state for it
   */
  RespondingMachine(RoutingKey key, StateContext context, Handshakes handshakes, InetAddress peer) {
    super(key, context);
    this.handshakes = handshakes;
    this.countedFor = peer;
    this.answeredAt = (int) (context.store.now() - handshakes.settings.t1());
  }

  @Override
  boolean isQuerying() {
    return false;
  }

  @Override
  InetAddress countedFor() {
    return countedFor;
  }

  @Override
  int port() {
    return port;
  }

  @Override
  InetAddress own() {
    return own;
  }

  @Override
  void send(Pending pending) {
    if (!transmit(pending)) {
      // A querier that lost the association makes a new one. The message waits until then, or until
      // the timeout.
      long latest = context.store.now() + handshakes.settings.t2();
      long deadline = Math.min(pending.deadline(), latest);
      enqueue(new Pending(pending.request(), deadline, pending.repeats()));
      arm();
    }
  }

  /**
   * Records that a Query of our peer was answered.
   *
   * @param answer repeated until it is confirmed; null: it went by datagram and needs no Confirm
   */
  void query(GistMessage answer, long validity) {
    if (answer == null) {
      expiresAt = context.store.now() + validity;
      settle();
    } else {
      response = answer;
      interval = (int) handshakes.settings.t1();
      retryAt = context.store.now() + interval;
    }
    arm();
  }

  /** Records that no Confirm is outstanding. */
  private void settle() {
    response = null;
    retryAt = 0;
  }

  /**
   * Returns the urgency of a Response to the peer. The Response keeps this state, but one in T1 is
   * enough. Otherwise a peer that repeats its Query would hold up all others.
   */
  Rank rank() {
    int now = (int) context.store.now();
    if (now - answeredAt < handshakes.settings.t1()) {
      return Rank.ANSWER;
    }
    answeredAt = now;
    return Rank.UPKEEP;
  }

  /** Returns whether a Confirm with this cookie is a repetition, or a replay. */
  boolean stale(Cookies.Memory memory) {
    return peer() != null
        && handshakes.cookies.notAfter(memory.made(), confirmed, context.store.now());
  }

  /** Takes a right Confirm, with our cookie. */
  void confirm(Arrival arrival, GistMessage message, Cookies.Memory memory, InetAddress address) {
    NetworkLayerInfo info = message.find(NetworkLayerInfo.class).orElseThrow();
    context.counters.count(Counter.HANDSHAKE_RESPONDED);
    confirmed = memory.made();
    settle();
    own = address;
    port = (char) memory.port();
    distance(memory.distance());
    use(arrival.association());
    Peer found = context.store.peers.acquire(info, memory.interfaceIndex());
    peer(found);
    expiresAt =
        context.store.now() + context.outbox.messages.validity().given(info.validityMillis());
    deliver(arrival, message);
    for (Pending next = head(); next != null && transmit(next); next = head()) {
      removeHead();
    }
    arm();
  }

  @Override
  void data(Arrival arrival, GistMessage message) {
    deliver(arrival, message);
  }

  @Override
  void noRoutingState(Association by) {
    String reason = "the peer has no routing state";
    mayBeLost(reason);
    over(reason);
  }

  /**
   * Handles SetStateLifetime (appendix B.5). The querier decides the lifetime of the state, unless
   * the value is zero.
   */
  @Override
  void lifetime(Duration wanted) {
    if (wanted.isZero() || wanted.isNegative()) {
      context.counters.count(Counter.STATE_INACTIVE);
      over("given up by the application");
    }
  }

  /** Only notes the application's status, because only the querier can verify the route. */
  @Override
  void invalidate(RoutingStatus now, byte[] forQuery, boolean urgent) {
    statusByApplication(now);
  }

  /**
   * Ends the state, because a Confirm of the peer shows that our Stack-Proposal was changed on the
   * way.
   */
  void bidDown() {
    over("the stack proposal was changed on the way");
  }

  @Override
  void associationLost(Association failed, boolean unconnected) {
    arm();
  }

  @Override
  void revoked(String reason) {
    over(reason);
  }

  private void arm() {
    if (!gone()) {
      long next = Math.min(expiresAt, firstDeadline());
      context.store.wheel.set(this, retryAt == 0 ? next : Math.min(next, retryAt));
    }
  }

  @Override
  protected void due() {
    long now = context.store.now();
    expireRequests(now, MessageStatus.ASSOCIATION_LATE, "no association in time");
    if (now >= expiresAt) {
      context.counters.count(Counter.STATE_EXPIRED);
      over("not refreshed");
    } else if (retryAt != 0 && now >= retryAt) {
      noConfirm(now);
    }
    arm();
  }

  private void noConfirm(long now) {
    if (interval >= handshakes.settings.t2()) {
      context.counters.count(Counter.HANDSHAKE_FAILED);
      over("the Response was not confirmed");
      return;
    }
    context.counters.count(Counter.RESPONSE_RETRANSMITTED);
    if (association() != null) {
      association().send(response);
    } else {
      context.outbox.sender.send(Rank.ANSWER, response, own, peer().address(), port);
    }
    interval = (int) Math.min(2L * interval, handshakes.settings.t2());
    retryAt = now + interval;
  }

  private void over(String reason) {
    failAll(MessageStatus.NO_ROUTE, reason);
    status(RoutingStatus.BAD, reason);
    notify(Kind.ROUTE_DELETION, null, peer(), reason);
    handshakes.departed.add(key(), confirmed);
    remove();
  }
}
