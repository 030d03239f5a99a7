// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.MessageStatus;
import org.netserv.gist.NetworkNotification;
import org.netserv.gist.NetworkNotification.Kind;
import org.netserv.gist.RoutingStatus;
import org.netserv.gist.association.Association;
import org.netserv.gist.association.Associations.Offer;
import org.netserv.gist.routing.Peers.Peer;
import org.netserv.gist.routing.RateLimiter.Rank;
import org.netserv.gist.wire.GistMessage;
import org.netserv.gist.wire.NetworkLayerInfo;
import org.netserv.gist.wire.QueryCookie;

/**
 * Querying-SM (RFC 5971 section 6.2).
 *
 * <pre>
 *   event               AWAITING_RESPONSE       ESTABLISHED             AWAITING_REFRESH
 *   send                keep, Query if dormant  send, or keep + Query*  send, or keep**
 *   Response            -> ESTABLISHED          as in AWAITING_REFRESH  -> ESTABLISHED
 *   Data                of our peer: deliver    deliver                 deliver
 *   No Routing State    begin again             -> AWAITING_RESPONSE    -> AWAITING_RESPONSE
 *   Confirm refused     take back               -> AWAITING_RESPONSE†   as in ESTABLISHED
 *   end of path, Error  over                    ignored                 over / ignored
 *   No_Response         Query, or over          -                       Query, or over
 *   Refresh             -                       -> AWAITING_REFRESH     -
 *   validity over       over                    over                    over
 *   inactive            over                    over                    over
 *   association failed  begin again             -> AWAITING_REFRESH     go on
 *   peer not allowed    over                    over                    over
 *   invalidate BAD      begin again             -> AWAITING_RESPONSE    -> AWAITING_RESPONSE
 *   invalidate TENT.    ignored                 -> AWAITING_REFRESH     ignored
 *   verify, too old     ignored                 -> AWAITING_REFRESH***  ***
 * </pre>
 *
 * * when the message needs an association and there is none. ** it asks for one already, or the
 * Response is followed by a Query that does. *** Messages wait for the Response, or until it has
 * taken too long. † When it was the first Confirm by this association; else ignored. "Over" tells
 * the application why, and removes the state.
 */
final class QueryingMachine extends RoutingState {
  /** Time without messages of the application after which the state is given up, ms. */
  private static final long LIFETIME = 120_000;

  /**
   * Most datagrams that are kept to be sent again, because the peer has not proved routing state
   * since.
   */
  private static final int UNPROVEN_MAX = 4;

  private static final int ASSOCIATION_TRIES = 2;

  /** Handshakes begun anew between two refreshes because the peer says it has no routing state. */
  private static final int RESTARTS_MAX = 8;

  /** Most repeats of a message that the peer certainly did not take. */
  private static final int REPEATS_MAX = 3;

  /**
   * Time in ms within which a failed connection is tried again, because the peer may have
   * restarted.
   */
  private static final long CONNECT_AGAIN = 5_000;

  private enum State {
    AWAITING_RESPONSE,
    ESTABLISHED,
    AWAITING_REFRESH
  }

  private State state = State.AWAITING_RESPONSE;
  private QueryExchange exchange;
  private boolean wantsAssociation;
  private boolean wantsSecure;
  private boolean rediscover;
  private int confirmedAt;
  private byte failures;
  private byte restarts;
  private short hops = Messages.HOPS;
  private byte[] payload;
  private ArrayDeque<Pending> unproven;
  private Association crossing;

  /** Null before a message was sent by an association. */
  private SentMessages sent;

  /**
   * Reason why messages may be lost, until it is known that they are sent again; null = none are.
   */
  private String doubt;

  /** True when the last Confirm was the first of this session by its association. */
  private boolean confirmedFirst;

  // Times of the wheel; 0 = the timer is not running.
  private long retryAt;
  private long refreshAt;
  private long expiresAt;
  private long inactiveAt;
  private long heldUntil;
  private long lifetime = LIFETIME;

  QueryingMachine(Parts parts, RoutingKey key) {
    super(parts, key);
    this.exchange = new QueryExchange(parts);
  }

  @Override
  int port() {
    return DatagramSender.PORT;
  }

  @Override
  InetAddress own() {
    return exchange.own();
  }

  // ---- messages of the application

  @Override
  void send(Pending pending) {
    touch();
    if (pending.request().hops() > 0) {
      hops = (short) pending.request().hops();
    }
    switch (state) {
      case AWAITING_RESPONSE -> {
        keep(pending, pending.reliable() || tooLarge(pending));
        if (retryAt == 0) {
          begin(State.AWAITING_RESPONSE);
        }
      }
      case ESTABLISHED -> {
        if (waitsForConnection(pending)) {
          enqueue(pending);
        } else if (!transmit(pending)) {
          keep(pending, true);
          begin(State.AWAITING_REFRESH);
        } else if (rediscover) {
          begin(State.AWAITING_REFRESH);
        }
      }
      case AWAITING_REFRESH -> {
        if (holds()) {
          keep(pending, needsAssociation(pending));
        } else if (waitsForConnection(pending)) {
          enqueue(pending);
        } else if (!transmit(pending)) {
          keep(pending, true);
        }
      }
    }
    arm();
  }

  private void keep(Pending pending, boolean byAssociation) {
    wantsAssociation |= byAssociation;
    wantsSecure |= pending.request().attributes().secure();
    enqueue(pending);
  }

  /**
   * Returns whether a message is too large for any datagram. The peer is not known yet, so the size
   * of every possible datagram decides.
   */
  private boolean tooLarge(Pending pending) {
    InetAddress target = DatagramSender.target(key().mri());
    NetworkLayerInfo like = parts.messages.own(0, target);
    return !parts.sender.fits(
        parts.messages.data(key(), Messages.HOPS, like, pending.request().payload()), target);
  }

  @Override
  void sentByDatagram(Pending pending) {
    unproven = unproven == null ? new ArrayDeque<>(UNPROVEN_MAX) : unproven;
    if (unproven.size() == UNPROVEN_MAX) {
      unproven.remove();
    }
    unproven.add(pending.again());
  }

  @Override
  void sentByAssociation(Pending pending) {
    sent = sent == null ? new SentMessages(parts.sentBudget) : sent;
    sent.sent(pending, association(), parts.wheel.now());
  }

  // ---- the handshake

  /** Begins a handshake: a new set of cookies, and the first Query at once. */
  private void begin(State next) {
    state = next;
    rediscover = false;
    refreshAt = 0;
    QueryExchange former = exchange;
    exchange = new QueryExchange(parts);
    parts.outstanding.forget(this, DatagramSender.target(key().mri()));
    query();
    if (gone()) {
      return;
    }
    exchange.keepAddress(former);
    retryAt = parts.wheel.now() + exchange.begin();
    arm();
  }

  /**
   * Returns the urgency of a Query. A Query of a session that has its peer is more urgent than a
   * Query of a new session.
   */
  Rank rank() {
    return peer() == null ? Rank.OWN : Rank.UPKEEP;
  }

  private void query() {
    Offer offer = null;
    if (wantsAssociation) {
      offer = parts.associations.queryOffer(wantsSecure);
      if (offer == null) {
        over(MessageStatus.NO_ASSOCIATION, "no stack of ours suits");
        return;
      }
    }
    exchange.send(this, hops, offer, wantsSecure, payload);
  }

  /** Takes a Response with our flow, session and application. */
  void response(Arrival arrival, GistMessage message) {
    if (!exchange.sent(message.find(QueryCookie.class).orElseThrow())) {
      parts.count(Counter.DROPPED_RESPONSE_UNKNOWN);
      return;
    }
    NetworkLayerInfo info = message.find(NetworkLayerInfo.class).orElseThrow();
    if (Arrays.equals(info.peerIdentity(), parts.identity)) {
      parts.count(Counter.DROPPED_OWN);
      return;
    }
    if (arrival.translated(info)) {
      parts.count(Counter.REFUSED_LEGACY_NAT);
      over(MessageStatus.REFUSED, "a NAT is in the way");
      return;
    }
    int interfaceIndex = parts.network.interfaceTowards(info.address());
    Peer found = parts.peers.acquire(info, interfaceIndex);
    if (peer() != null && peer() != found) {
      use(null); // route change: the transport to the old peer is of no use
      failures = 0;
    }
    Association before = association();
    String failure =
        new QueryBinding(parts, this, exchange)
            .bind(arrival, message, wantsAssociation, wantsSecure);
    if (failure != null) {
      parts.peers.release(found);
      over(MessageStatus.NO_ASSOCIATION, failure);
      return;
    }
    if (message.header().reply()) {
      confirmedFirst = association() != before;
      tellDoubt();
      if (sent != null) {
        sent.confirmed(association(), parts.wheel.now());
      }
    }
    established(arrival, message, info, found);
  }

  private void established(
      Arrival arrival, GistMessage message, NetworkLayerInfo info, Peer found) {
    parts.count(Counter.HANDSHAKE_COMPLETED);
    long now = parts.wheel.now();
    state = State.ESTABLISHED;
    confirmedAt = (int) now;
    heldUntil = 0;
    payload = null;
    distance(key().mri().upstream() ? arrival.distance(info) : info.ipTtl());
    parts.outstanding.forget(this, DatagramSender.target(key().mri()));
    retryAt = 0;
    long valid = Validity.taken(info.validityMillis());
    refreshAt = now + Validity.refreshAfter(valid, parts.random);
    expiresAt = now + valid;
    peer(found);
    deliver(arrival, message);
    flush();
    if (!gone()) {
      arm();
    }
  }

  /**
   * Sends the waiting messages in order. A message that needs an association that we did not ask
   * for begins a handshake that asks.
   */
  private void flush() {
    for (Pending next = head(); next != null && !gone(); next = head()) {
      if (waitsForConnection(next)) {
        return;
      }
      removeHead();
      if (transmit(next)) {
        continue;
      }
      boolean secure = next.request().attributes().secure();
      if (exchange.asked(secure)) {
        status(next, MessageStatus.NO_ASSOCIATION, "the peer offers none that suits");
      } else {
        enqueueFirst(next);
        wantsAssociation = true;
        wantsSecure |= secure;
        begin(State.AWAITING_REFRESH);
      }
      if (state == State.AWAITING_REFRESH) {
        return;
      }
    }
  }

  // ---- other events

  @Override
  void data(Arrival arrival, GistMessage message) {
    touch();
    unproven = null;
    restarts = 0;
    failures = 0;
    if (sent != null) {
      sent.arrived();
    }
    deliver(arrival, message);
  }

  @Override
  void noRoutingState(Association by) {
    if (sent != null && by != null) {
      sent.refused(by);
    }
    beginAgain("the peer has no routing state");
  }

  /**
   * Handles the peer's refusal of a Confirm of ours. The peer has no routing state unless an
   * earlier Confirm installed it.
   */
  void confirmRefused(Association by, String reason) {
    boolean waits = state == State.AWAITING_RESPONSE;
    if (!confirmedFirst || (!waits && by != association())) {
      parts.count(Counter.UNEXPECTED_EVENT);
      return;
    }
    parts.count(Counter.CONFIRM_REFUSED);
    if (sent != null) {
      sent.refusedConfirm(by);
    }
    beginAgain("the peer refused the Confirm: " + reason);
  }

  private void beginAgain(String reason) {
    if (state == State.AWAITING_RESPONSE && retryAt != 0) {
      takeBack(); // under way: one Query is enough for any number of Errors
      return;
    }
    doubt = forgetReliable() ? reason : doubt;
    takeBack();
    if (sent == null || !sent.undecided()) {
      tellDoubt();
    }
    if (++restarts > RESTARTS_MAX) {
      // Otherwise the two would go on like this as fast as the path is.
      parts.count(Counter.HANDSHAKE_FAILED);
      over(MessageStatus.NO_RESPONSE, "the peer does not keep routing state");
      return;
    }
    parts.count(Counter.HANDSHAKE_RESTARTED);
    while (unproven != null && !unproven.isEmpty()) {
      enqueueFirst(unproven.removeLast());
    }
    unproven = null;
    use(null);
    status(RoutingStatus.BAD, reason);
    begin(State.AWAITING_RESPONSE);
  }

  /** Lets the messages wait again, in their order, that the peer certainly did not take. */
  private void takeBack() {
    if (sent == null) {
      return;
    }
    List<Pending> back = sent.takeBack();
    for (int i = back.size() - 1; i >= 0; i--) {
      Pending again = back.get(i).again();
      if (again.repeats() > REPEATS_MAX) {
        status(again, MessageStatus.REFUSED, "the peer refused it " + again.repeats() + " times");
      } else {
        parts.count(Counter.DATA_RESENT);
        enqueueFirst(again);
      }
    }
    if (!back.isEmpty() && !sent.refusedMore()) {
      doubt = null;
    }
  }

  private void tellDoubt() {
    if (doubt != null) {
      lost(doubt);
      doubt = null;
    }
  }

  /** Ends the state because no node is behind us. Endpoint Found, ICMP or silence shows that. */
  void lastNode(String reason) {
    if (state == State.ESTABLISHED || retryAt == 0) {
      parts.count(Counter.UNEXPECTED_EVENT);
      return;
    }
    parts.count(Counter.LAST_NODE);
    notify(Kind.LAST_NODE, null, null, reason);
    boolean silent = reason.equals(NetworkNotification.NO_RESPONSE);
    over(silent ? MessageStatus.NO_RESPONSE : MessageStatus.LAST_NODE, reason);
  }

  /** Handles the refusal of our Query by a node on the way, or by the peer. */
  void refused(String reason) {
    if (state != State.AWAITING_RESPONSE || retryAt == 0) {
      parts.count(Counter.UNEXPECTED_EVENT); // an Error does not end established state
      return;
    }
    over(MessageStatus.REFUSED, reason);
  }

  /** Handles a Query that was too long for a link on the way. */
  void tooLarge(int mtu) {
    parts.sender.learnMtu(DatagramSender.target(key().mri()), mtu);
    boolean shorter = payload != null || !wantsAssociation;
    if (retryAt != 0 && shorter) { // else the next retransmission is soon enough
      payload = null;
      wantsAssociation = true;
      begin(state);
    }
  }

  /** Handles InvalidateRoutingState (appendix B.6). */
  @Override
  void invalidate(RoutingStatus now, byte[] forQuery, boolean urgent) {
    if (state == State.AWAITING_RESPONSE && retryAt != 0) {
      payload = forQuery;
      return;
    }
    payload = forQuery;
    statusByApplication(now);
    State next = now == RoutingStatus.BAD ? State.AWAITING_RESPONSE : State.AWAITING_REFRESH;
    if (urgent) {
      begin(next);
    } else if (next == State.AWAITING_RESPONSE) {
      state = next; // dormant: the next message begins the handshake
      retryAt = 0;
      refreshAt = 0;
      arm();
    } else {
      rediscover = true;
    }
  }

  /** Holds the next messages until the peer is known to be on the path. */
  void verify(long age, long patience) {
    long now = parts.wheel.now();
    if (state == State.AWAITING_RESPONSE || (int) now - confirmedAt <= age || heldUntil != 0) {
      return;
    }
    heldUntil = now + patience;
    if (state == State.ESTABLISHED) {
      begin(State.AWAITING_REFRESH);
    } else {
      arm();
    }
  }

  /**
   * Sends the held messages, because no node answered in time. The known peer may be right, and
   * Queries get lost.
   */
  private void release() {
    heldUntil = 0;
    if (state != State.AWAITING_REFRESH) {
      return;
    }
    for (Pending next = head(); next != null && !waitsForConnection(next); next = head()) {
      removeHead();
      if (!transmit(next)) {
        enqueueFirst(next);
        return;
      }
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
      parts.count(Counter.STATE_INACTIVE);
      over(MessageStatus.NO_ROUTE, "given up by the application");
      return;
    }
    lifetime = Pending.millis(wanted);
    touch();
    arm();
  }

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
    boolean young = exchange.boundFor() <= CONNECT_AGAIN;
    boolean unheard = unconnected || (young && !failed.heard());
    failures = (byte) (unheard ? failures + 1 : 0);
    if (failures >= ASSOCIATION_TRIES || (unconnected && !young)) {
      if (doesWithoutTls(failed)) {
        withoutTls(failed, "the connection cannot be made");
      } else {
        over(MessageStatus.NO_ASSOCIATION, "the connection cannot be made");
      }
      return;
    }
    if (state != State.ESTABLISHED) {
      return;
    }
    if (unconnected) {
      begin(State.AWAITING_RESPONSE); // the Confirm was in it
    } else if (head() != null) {
      begin(State.AWAITING_REFRESH);
    } else {
      // Many sessions may have used the association, so they must not refresh all at once.
      long spread = 1000L * parts.table.size() / Math.max(1, parts.settings.rate());
      long soon = parts.wheel.now() + parts.random.nextLong(1 + Math.max(0, spread));
      refreshAt = Math.min(refreshAt, soon);
      arm();
    }
  }

  /**
   * Returns whether the session may go on without TLS. TLS is preferred to TCP, but is no condition
   * unless the application asked for it.
   */
  @Override
  boolean doesWithoutTls(Association failed) {
    return failed.secure() && !secrecy() && parts.associations.avoidTls(peer().info());
  }

  @Override
  void withoutTls(Association failed, String reason) {
    parts.count(Counter.ASSOCIATION_WITHOUT_TLS);
    failures = 0;
    doubt = forgetReliable() ? reason : doubt;
    if (sent != null) {
      sent.refusedConfirm(failed);
    }
    takeBack();
    tellDoubt();
    if (state != State.AWAITING_RESPONSE || retryAt == 0) {
      status(RoutingStatus.BAD, reason);
      begin(State.AWAITING_RESPONSE);
    }
  }

  @Override
  void revoked(String reason) {
    over(MessageStatus.NO_ASSOCIATION, reason);
  }

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
    if (peer() == null) {
      peer(parts.peers.acquire(info, interfaceIndex));
    }
  }

  @Override
  boolean takes(Association from) {
    return super.takes(from) || (crossing != null && from == crossing);
  }

  /** Leaves the messages of this machine to the machine that takes its place. */
  void replaceBy(RespondingMachine machine) {
    parts.outstanding.forget(this, DatagramSender.target(key().mri()));
    machine.inherit(this);
    tellDoubt();
    remove();
  }

  // ---- time

  private void touch() {
    inactiveAt = parts.wheel.now() + lifetime;
  }

  private void arm() {
    if (gone()) {
      return;
    }
    long next = Math.min(inactiveAt, firstDeadline());
    next = retryAt == 0 ? next : Math.min(next, retryAt);
    next = refreshAt == 0 ? next : Math.min(next, refreshAt);
    next = expiresAt == 0 ? next : Math.min(next, expiresAt);
    next = heldUntil == 0 ? next : Math.min(next, heldUntil);
    parts.wheel.set(this, next);
  }

  @Override
  protected void due() {
    long now = parts.wheel.now();
    boolean unanswered = state == State.AWAITING_RESPONSE;
    if (heldUntil != 0 && now >= heldUntil) {
      release();
    }
    boolean late =
        expireRequests(
            now,
            unanswered ? MessageStatus.NO_RESPONSE : MessageStatus.ASSOCIATION_LATE,
            unanswered ? NetworkNotification.NO_RESPONSE : "no association in time");
    if (late && unanswered && peer() == null && head() == null) {
      silence();
    } else if (now >= inactiveAt) {
      parts.count(Counter.STATE_INACTIVE);
      over(MessageStatus.NO_ROUTE, "inactive");
    } else if (expiresAt != 0 && now >= expiresAt) {
      parts.count(Counter.STATE_EXPIRED);
      over(MessageStatus.NO_RESPONSE, "not refreshed in time");
    } else if (retryAt != 0 && now >= retryAt) {
      noResponse(now);
    } else if (refreshAt != 0 && now >= refreshAt) {
      parts.count(Counter.REFRESH_SENT);
      unproven = null;
      restarts = 0;
      failures = association() == null ? failures : 0;
      if (sent != null) {
        sent.age(now);
      }
      begin(State.AWAITING_REFRESH);
    }
    arm();
  }

  private void noResponse(long now) {
    if (parts.sender.delay(rank()) > exchange.same()) {
      retryAt = now + exchange.same(); // the last Query has hardly left
      return;
    }
    if (exchange.dropped()) {
      query();
      retryAt = now + exchange.same();
      return;
    }
    long wait = exchange.next();
    if (wait == 0) {
      silence();
      return;
    }
    query();
    retryAt = now + wait;
  }

  private void silence() {
    parts.count(Counter.HANDSHAKE_FAILED);
    if (peer() == null) {
      lastNode(NetworkNotification.NO_RESPONSE);
    } else {
      over(MessageStatus.NO_RESPONSE, NetworkNotification.NO_RESPONSE);
    }
  }

  /** Ends the state. Waiting messages fail, and the application learns that the peer is gone. */
  private void over(MessageStatus why, String detail) {
    tellDoubt();
    failAll(why, detail);
    if (peer() != null) {
      status(RoutingStatus.BAD, detail);
      notify(Kind.ROUTE_DELETION, null, peer(), detail);
    }
    parts.outstanding.forget(this, DatagramSender.target(key().mri()));
    remove();
  }

  @Override
  void remove() {
    if (sent != null) {
      sent.clear();
    }
    super.remove();
  }
}
