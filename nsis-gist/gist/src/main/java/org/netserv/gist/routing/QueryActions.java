// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.List;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.MessageStatus;
import org.netserv.gist.NetworkNotification;
import org.netserv.gist.NetworkNotification.Kind;
import org.netserv.gist.RoutingStatus;
import org.netserv.gist.association.Association;
import org.netserv.gist.association.Associations.Offer;
import org.netserv.gist.port.OutboundDatagram;
import org.netserv.gist.routing.Peers.Peer;
import org.netserv.gist.routing.QueryingTransitions.Action;
import org.netserv.gist.routing.QueryingTransitions.Event;
import org.netserv.gist.wire.GistMessage;
import org.netserv.gist.wire.NetworkLayerInfo;
import org.netserv.gist.wire.QueryCookie;

/** Carries out the actions of {@link QueryingTransitions} for all queriers of a node. */
final class QueryActions {
  /**
   * Most datagrams that are kept to be sent again, because the peer has not proved routing state
   * since.
   */
  private static final int UNPROVEN_MAX = 4;

  /** Handshakes begun anew between two refreshes because the peer says it has no routing state. */
  private static final int RESTARTS_MAX = 8;

  /** Most repeats of a message that the peer certainly did not take. */
  private static final int REPEATS_MAX = 3;

  private final StateContext context;
  final Handshakes handshakes;

  QueryActions(StateContext context, Handshakes handshakes) {
    this.context = context;
    this.handshakes = handshakes;
  }

  /**
   * The parts of an input that actions use; null where the input has no such part.
   *
   * @param status of the messages that wait when the input ends the state
   */
  record Input(
      Pending pending,
      Arrival arrival,
      GistMessage message,
      Association association,
      MessageStatus status,
      String reason) {
    static final Input NONE = new Input(null, null, null, null, null, null);

    static Input of(Association association, String reason) {
      return new Input(null, null, null, association, null, reason);
    }

    static Input of(MessageStatus status, String reason) {
      return new Input(null, null, null, null, status, reason);
    }
  }

  void perform(Action action, QueryingMachine machine, Input input) {
    switch (action) {
      case KEEP -> {
        Pending pending = input.pending();
        keep(machine, pending, pending.reliable() || tooLarge(machine.key(), pending));
      }
      case KEEP_FOR_PEER ->
          keep(machine, input.pending(), machine.needsAssociation(input.pending()));
      case ENQUEUE -> machine.enqueue(input.pending());
      case TRANSMIT -> machine.transmit(input.pending());
      case BEGIN -> begin(machine);
      case RETRANSMIT -> retransmit(machine);
      case SHORTEN -> {
        machine.payload = null;
        machine.wantsAssociation = true;
      }
      case ASK -> {
        machine.wantsAssociation = true;
        machine.wantsSecure |= machine.head().request().attributes().secure();
      }
      case NOTE_BAD -> machine.statusByApplication(RoutingStatus.BAD);
      case NOTE_TENTATIVE -> machine.statusByApplication(RoutingStatus.TENTATIVE);
      case DOUBT -> machine.inDoubt = true;
      case SLEEP -> {
        machine.noResponseAt = 0;
        machine.refreshAt = 0;
      }
      case RELEASE -> release(machine);
      case ESTABLISH -> establish(machine, input);
      case DELIVER -> machine.deliver(input.arrival(), input.message());
      case FLUSH -> flush(machine);
      case PROVED -> proved(machine);
      case NOTE_REFUSAL -> {
        context.counters.count(Counter.CONFIRM_REFUSED);
        noteRefusal(machine, input.association());
      }
      case TAKE_BACK -> takeBack(machine);
      case RECALL -> recall(machine, input.reason());
      case RESTART -> restart(machine, input.reason());
      case AGE -> age(machine);
      case REFRESH_SOON -> refreshSoon(machine);
      case LEAVE_TLS -> leaveTls(machine, input);
      case TELL_BAD -> machine.status(RoutingStatus.BAD, input.reason());
      case FAIL_UNANSWERED ->
          machine.expireRequests(
              context.store.now(), MessageStatus.NO_RESPONSE, NetworkNotification.NO_RESPONSE);
      case FAIL_UNCONNECTED ->
          machine.expireRequests(
              context.store.now(), MessageStatus.ASSOCIATION_LATE, "no association in time");
      case TELL_LAST_NODE -> {
        context.counters.count(Counter.LAST_NODE);
        machine.notify(Kind.LAST_NODE, null, null, input.reason());
      }
      case END -> end(machine, input);
      case LEAVE -> leave(machine);
      case UNEXPECTED -> context.counters.count(Counter.UNEXPECTED_EVENT);
    }
  }

  // ---- messages of the application

  private static void keep(QueryingMachine machine, Pending pending, boolean byAssociation) {
    machine.wantsAssociation |= byAssociation;
    machine.wantsSecure |= pending.request().attributes().secure();
    machine.enqueue(pending);
  }

  /**
   * Returns whether a message is too large for any datagram. The peer is not known yet, so the size
   * of every possible datagram decides.
   */
  private boolean tooLarge(RoutingKey key, Pending pending) {
    InetAddress target = DatagramSender.target(key.mri());
    NetworkLayerInfo like = context.outbox.messages.own(0, target);
    return !context.outbox.sender.fits(
        context.outbox.messages.data(key, Messages.HOPS, like, pending.request().payload()),
        target);
  }

  /**
   * Sends the waiting messages in order. A message that needs an association that we did not ask
   * for begins a handshake that asks.
   */
  private static void flush(QueryingMachine machine) {
    for (Pending next = machine.head(); next != null && !machine.gone(); next = machine.head()) {
      if (machine.waitsForConnection(next)) {
        return;
      }
      boolean sendable = machine.sendable(next);
      if (!sendable && !machine.exchange.asked(next.request().attributes().secure())) {
        machine.fire(Event.UNASKED, Input.NONE);
        return;
      }
      machine.removeHead();
      if (sendable) {
        machine.transmit(next);
      } else {
        machine.status(next, MessageStatus.NO_ASSOCIATION, "the peer offers none that suits");
      }
    }
  }

  /**
   * Sends the held messages, because no node answered in time. The known peer may be right, and
   * Queries get lost.
   */
  private static void release(QueryingMachine machine) {
    for (Pending next = machine.head();
        next != null && !machine.waitsForConnection(next) && machine.sendable(next);
        next = machine.head()) {
      machine.removeHead();
      machine.transmit(next);
    }
  }

  // ---- the handshake

  /** Begins a handshake: a new set of cookies, and the first Query at once. */
  private void begin(QueryingMachine machine) {
    machine.inDoubt = false;
    machine.refreshAt = 0;
    QueryExchange former = machine.exchange;
    machine.exchange = new QueryExchange();
    forgetQueries(machine);
    query(machine);
    if (machine.gone()) {
      return;
    }
    machine.exchange.keepAddress(former);
    machine.noResponseAt = context.store.now() + machine.exchange.begin(handshakes.settings);
    machine.arm();
  }

  private void retransmit(QueryingMachine machine) {
    QueryExchange exchange = machine.exchange;
    boolean queued =
        context.outbox.sender.delay(machine.rank()) > exchange.same(); // it has hardly left
    boolean same = queued || exchange.dropped();
    long wait = same ? exchange.same() : exchange.next(handshakes.settings);
    if (wait == 0) {
      machine.silence();
      return;
    }
    if (!queued) {
      query(machine);
    }
    machine.noResponseAt = context.store.now() + wait;
  }

  private void query(QueryingMachine machine) {
    Offer offer = null;
    if (machine.wantsAssociation) {
      offer = handshakes.associations.queryOffer(machine.wantsSecure);
      if (offer == null) {
        String reason = "no stack of ours suits";
        machine.fire(Event.NO_WAY, Input.of(MessageStatus.NO_ASSOCIATION, reason));
        return;
      }
    }
    query(machine, offer);
  }

  /**
   * Sends a Query. The payload is left out when the Query would not fit a datagram with it.
   *
   * @param offer null: no association is wanted
   */
  private void query(QueryingMachine machine, Offer offer) {
    QueryExchange exchange = machine.exchange;
    RoutingKey key = machine.key();
    InetAddress target = DatagramSender.target(key.mri());
    InetAddress own = context.outbox.network.addressTowards(target).orElse(null);
    if (own == null) {
      context.counters.count(Counter.SEND_FAILED); // the next retransmission may find a route
      return;
    }
    exchange.own(own);
    boolean upstream = key.mri().upstream();
    int after = handshakes.settings.sourceAddressAfter();
    boolean ownSource = upstream || (after >= 0 && exchange.queries() >= after);
    NetworkLayerInfo info =
        context.outbox.messages.own(upstream ? machine.distance() : DatagramSender.TTL, own);
    QueryCookie cookie = handshakes.cookies.query();
    GistMessage query =
        context.outbox.messages.query(
            key, machine.hops, ownSource, info, cookie, offer, machine.payload);
    if (machine.payload != null && !context.outbox.sender.fits(query, target)) {
      query =
          context.outbox.messages.query(key, machine.hops, ownSource, info, cookie, offer, null);
    }
    InetAddress from = ownSource ? own : null;
    int alert = context.applications.routerAlert(key.nslpId());
    OutboundDatagram datagram =
        context.outbox.sender.explicit(machine.rank(), query, key.mri(), from, alert);
    if (datagram == null) {
      exchange.drop();
      return;
    }
    boolean first = exchange.queries() == 0;
    context.counters.count(first ? Counter.QUERY_SENT : Counter.QUERY_RETRANSMITTED);
    exchange.remember(cookie, offer != null, machine.wantsSecure);
    if (context.outbox.network.isLocal(datagram.source())) {
      handshakes.outstanding.add(machine, new OutstandingQueries.Sent(datagram, cookie));
    }
  }

  private void forgetQueries(QueryingMachine machine) {
    handshakes.outstanding.forget(machine, DatagramSender.target(machine.key().mri()));
  }

  /** Takes the sender of a Response into use. */
  Peer acquire(NetworkLayerInfo info) {
    return context.store.peers.acquire(
        info, context.outbox.network.interfaceTowards(info.address()));
  }

  private void establish(QueryingMachine machine, Input input) {
    context.counters.count(Counter.HANDSHAKE_COMPLETED);
    NetworkLayerInfo info = input.message().find(NetworkLayerInfo.class).orElseThrow();
    long now = context.store.now();
    machine.confirmedAt = (int) now;
    machine.payload = null;
    boolean upstream = machine.key().mri().upstream();
    machine.distance(upstream ? input.arrival().distance(info) : info.ipTtl());
    forgetQueries(machine);
    long valid = Validity.taken(info.validityMillis());
    machine.noResponseAt = 0;
    machine.heldUntil = 0;
    machine.refreshAt = now + Validity.refreshAfter(valid, handshakes.random);
    machine.expiresAt = now + valid;
    machine.peer(acquire(info));
  }

  /** Begins the refresh soon. Many sessions may have used the association, so not all at once. */
  private void refreshSoon(QueryingMachine machine) {
    long spread = 1000L * context.store.table.size() / Math.max(1, handshakes.settings.rate());
    long soon = context.store.now() + handshakes.random.nextLong(1 + Math.max(0, spread));
    machine.refreshAt = Math.min(machine.refreshAt, soon);
  }

  // ---- messages that the peer may not have

  void sentByDatagram(QueryingMachine machine, Pending pending) {
    if (machine.unproven == null) {
      machine.unproven = new ArrayDeque<>(UNPROVEN_MAX);
    } else if (machine.unproven.size() == UNPROVEN_MAX) {
      machine.unproven.remove();
    }
    machine.unproven.add(pending.again());
  }

  private static void proved(QueryingMachine machine) {
    machine.unproven = null;
    machine.restarts = 0;
    machine.failures = 0;
    if (machine.sent != null) {
      machine.sent.arrived();
    }
  }

  private void age(QueryingMachine machine) {
    context.counters.count(Counter.REFRESH_SENT);
    machine.unproven = null;
    machine.restarts = 0;
    machine.failures = machine.association() == null ? machine.failures : 0;
    if (machine.sent != null) {
      machine.sent.age(context.store.now());
    }
  }

  /** Notes that a Confirm has left. The peer has state again, if it takes the Confirm. */
  void confirmed(QueryingMachine machine) {
    tellDoubt(machine);
    if (machine.sent != null) {
      machine.sent.confirmed(machine.association(), context.store.now());
    }
  }

  private static void noteRefusal(QueryingMachine machine, Association by) {
    if (machine.sent != null) {
      machine.sent.refusedConfirm(by);
    }
  }

  private void recall(QueryingMachine machine, String reason) {
    machine.doubt = machine.forgetReliable() ? reason : machine.doubt;
    takeBack(machine);
    if (machine.sent == null || !machine.sent.undecided()) {
      tellDoubt(machine);
    }
  }

  /** Lets the messages wait again, in their order, that the peer certainly did not take. */
  private void takeBack(QueryingMachine machine) {
    if (machine.sent == null) {
      return;
    }
    List<Pending> back = machine.sent.takeBack();
    for (int i = back.size() - 1; i >= 0; i--) {
      Pending again = back.get(i).again();
      if (again.repeats() > REPEATS_MAX) {
        String detail = "the peer refused it " + again.repeats() + " times";
        machine.status(again, MessageStatus.REFUSED, detail);
      } else {
        context.counters.count(Counter.DATA_RESENT);
        machine.enqueueFirst(again);
      }
    }
    if (!back.isEmpty() && !machine.sent.refusedMore()) {
      machine.doubt = null;
    }
  }

  private void restart(QueryingMachine machine, String reason) {
    if (++machine.restarts > RESTARTS_MAX) {
      // Otherwise the two would go on like this as fast as the path is.
      context.counters.count(Counter.HANDSHAKE_FAILED);
      String why = "the peer does not keep routing state";
      machine.fire(Event.NO_WAY, Input.of(MessageStatus.NO_RESPONSE, why));
      return;
    }
    context.counters.count(Counter.HANDSHAKE_RESTARTED);
    while (machine.unproven != null && !machine.unproven.isEmpty()) {
      machine.enqueueFirst(machine.unproven.removeLast());
    }
    machine.unproven = null;
    machine.use(null);
    machine.status(RoutingStatus.BAD, reason);
  }

  private void leaveTls(QueryingMachine machine, Input input) {
    context.counters.count(Counter.ASSOCIATION_WITHOUT_TLS);
    machine.doubt = machine.forgetReliable() ? input.reason() : machine.doubt;
    noteRefusal(machine, input.association());
    takeBack(machine);
    tellDoubt(machine);
  }

  private static void tellDoubt(QueryingMachine machine) {
    if (machine.doubt != null) {
      machine.lost(machine.doubt);
      machine.doubt = null;
    }
  }

  // ---- the end

  /** Ends the state. Waiting messages fail, and the application learns that the peer is gone. */
  private void end(QueryingMachine machine, Input input) {
    tellDoubt(machine);
    machine.failAll(input.status(), input.reason());
    if (machine.peer() != null) {
      machine.status(RoutingStatus.BAD, input.reason());
      machine.notify(Kind.ROUTE_DELETION, null, machine.peer(), input.reason());
    }
    leave(machine);
  }

  private void leave(QueryingMachine machine) {
    tellDoubt(machine);
    forgetQueries(machine);
    machine.remove();
  }
}
