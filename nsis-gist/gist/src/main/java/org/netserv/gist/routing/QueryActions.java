// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.net.InetAddress;
import java.util.List;
import org.netserv.gist.GistCounters;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.MessageStatus;
import org.netserv.gist.NetworkNotification;
import org.netserv.gist.NetworkNotification.Kind;
import org.netserv.gist.RoutingStatus;
import org.netserv.gist.association.Associations.Offer;
import org.netserv.gist.wire.NetworkLayerInfo;

/** Carries out the actions of {@link QueryingTransitions} for one querier. */
final class QueryActions {
  /** Most repeats of a message that the peer certainly did not take. */
  private static final int REPEATS_MAX = 3;

  private final QueryingMachine machine;
  private final StateStore store;
  private final Outbox outbox;
  private final Handshakes handshakes;
  private final GistCounters counters;
  private final QueryTimers timers;
  private final QueryContents contents;
  private final UnprovenMessages unproven;
  private final QueryFailures failures;
  private QueryExchange exchange;
  private boolean inDoubt;
  private int confirmedAt;

  QueryActions(
      QueryingMachine machine,
      QueryMemory memory,
      StateStore store,
      Outbox outbox,
      Handshakes handshakes,
      GistCounters counters) {
    this.machine = machine;
    this.store = store;
    this.outbox = outbox;
    this.handshakes = handshakes;
    this.counters = counters;
    this.timers = memory.timers();
    this.contents = memory.contents();
    this.unproven = memory.unproven();
    this.failures = memory.failures();
    this.exchange = new QueryExchange(handshakes.settings());
  }

  /** Returns the handshake that is under way, or that was the last. */
  QueryExchange exchange() {
    return exchange;
  }

  /** Returns whether the next message begins a handshake, too. */
  boolean inDoubt() {
    return inDoubt;
  }

  /** Returns the milliseconds since a Response verified the peer. */
  int confirmedFor() {
    return (int) store.now() - confirmedAt;
  }

  void perform(QueryAction action, QueryInput input) {
    switch (action) {
      case TOUCH -> timers.touch(store.now());
      case KEEP -> keep(input.pending(), input.pending().reliable() || tooLarge(input.pending()));
      case KEEP_HELD -> keep(input.pending(), machine.needsAssociation(input.pending()));
      case KEEP_UNSUITED -> keep(input.pending(), true);
      case KEEP_CONNECTING -> machine.enqueue(input.pending());
      case TRANSMIT -> machine.depart(input.pending());
      case BEGIN -> begin();
      case WAIT -> timers.retry(store.now() + exchange.same());
      case REPEAT -> {
        query();
        timers.retry(store.now() + exchange.same());
      }
      case RETRANSMIT -> {
        query();
        timers.retry(store.now() + exchange.next());
      }
      case SHORTEN -> contents.shrink();
      case ASK -> contents.want(true, machine.head().request().attributes().secure());
      case NOTE_BAD -> machine.statusByApplication(RoutingStatus.BAD);
      case NOTE_TENTATIVE -> machine.statusByApplication(RoutingStatus.TENTATIVE);
      case DOUBT -> inDoubt = true;
      case SLEEP -> timers.stopHandshake();
      case HOLD -> timers.hold(input.until());
      case END_HOLD -> timers.endHold();
      case RELEASE -> release();
      case CONFIRMED -> {
        tellLoss();
        unproven.confirmed(machine.association(), store.now());
      }
      case ESTABLISH -> establish(input);
      case DELIVER -> machine.deliver(input.arrival(), input.message());
      case FLUSH -> flush();
      case PROVED -> {
        unproven.proved();
        failures.proved();
      }
      case NOTE_REFUSAL -> {
        counters.count(Counter.CONFIRM_REFUSED);
        unproven.refusedConfirm(input.association());
      }
      case TAKE_BACK -> takeBack();
      case RECALL -> recall(input.reason());
      case RESTART -> restart(input.reason());
      case AGE -> {
        counters.count(Counter.REFRESH_SENT);
        unproven.age(store.now());
        failures.refreshed(machine.association() != null);
      }
      case REFRESH_SOON -> refreshSoon();
      case LEAVE_TLS -> leaveTls(input);
      case TELL_BAD -> machine.status(RoutingStatus.BAD, input.reason());
      case FAIL_UNANSWERED -> late(MessageStatus.NO_RESPONSE, NetworkNotification.NO_RESPONSE);
      case FAIL_UNCONNECTED -> late(MessageStatus.ASSOCIATION_LATE, "no association in time");
      case TELL_LAST_NODE -> {
        counters.count(Counter.LAST_NODE);
        machine.notify(Kind.LAST_NODE, null, null, input.reason());
      }
      case COUNT_FAILED -> counters.count(Counter.HANDSHAKE_FAILED);
      case COUNT_INACTIVE -> counters.count(Counter.STATE_INACTIVE);
      case COUNT_EXPIRED -> counters.count(Counter.STATE_EXPIRED);
      case END_NO_ROUTE -> end(MessageStatus.NO_ROUTE, input.reason());
      case END_NO_RESPONSE -> end(MessageStatus.NO_RESPONSE, input.reason());
      case END_STATELESS -> end(MessageStatus.NO_RESPONSE, "the peer does not keep routing state");
      case END_LAST_NODE -> end(MessageStatus.LAST_NODE, input.reason());
      case END_REFUSED -> end(MessageStatus.REFUSED, input.reason());
      case END_NO_ASSOCIATION -> end(MessageStatus.NO_ASSOCIATION, input.reason());
      case LEAVE -> leave();
      case UNEXPECTED -> counters.count(Counter.UNEXPECTED_EVENT);
    }
  }

  // ---- messages of the application

  private void keep(Pending pending, boolean byAssociation) {
    contents.want(byAssociation, pending.request().attributes().secure());
    machine.enqueue(pending);
  }

  /**
   * Returns whether a message is too large for any datagram. The peer is not known yet, so the size
   * of every possible datagram decides.
   */
  private boolean tooLarge(Pending pending) {
    InetAddress target = DatagramSender.target(machine.key().mri());
    NetworkLayerInfo like = outbox.messages().own(0, target);
    return !outbox
        .sender()
        .fits(
            outbox.messages().data(machine.key(), Messages.HOPS, like, pending.request().payload()),
            target);
  }

  /**
   * Sends the waiting messages in order. A message that needs an association that we did not ask
   * for begins a handshake that asks.
   */
  private void flush() {
    for (Pending next = machine.head(); next != null && !machine.gone(); next = machine.head()) {
      if (machine.waitsForConnection(next)) {
        return;
      }
      boolean sendable = machine.sendable(next);
      if (!sendable && !exchange.asked(next.request().attributes().secure())) {
        machine.fire(QueryEvent.UNASKED, QueryInput.NONE);
        return;
      }
      machine.removeHead();
      if (sendable) {
        machine.depart(next);
      } else {
        machine.status(next, MessageStatus.NO_ASSOCIATION, "the peer offers none that suits");
      }
    }
  }

  /**
   * Sends the held messages, because no node answered in time. The known peer may be right, and
   * Queries get lost.
   */
  private void release() {
    for (Pending next = machine.head();
        next != null && !machine.waitsForConnection(next) && machine.sendable(next);
        next = machine.head()) {
      machine.removeHead();
      machine.depart(next);
    }
  }

  private void late(MessageStatus why, String detail) {
    machine.expireRequests(store.now(), why, detail);
  }

  // ---- the handshake

  /** Begins a handshake: a new set of cookies, and the first Query at once. */
  private void begin() {
    inDoubt = false;
    timers.stopRefresh();
    QueryExchange former = exchange;
    exchange = new QueryExchange(handshakes.settings());
    handshakes.queries().forget(machine);
    query();
    if (machine.gone()) {
      return;
    }
    exchange.keepAddress(former);
    timers.retry(store.now() + exchange.begin());
    machine.arm();
  }

  private void query() {
    Offer offer = null;
    if (contents.association()) {
      offer = handshakes.associations().queryOffer(contents.secure());
      if (offer == null) {
        machine.fire(QueryEvent.NO_STACK, QueryInput.of("no stack of ours suits"));
        return;
      }
    }
    handshakes.queries().send(machine, exchange, contents, offer);
  }

  private void establish(QueryInput input) {
    counters.count(Counter.HANDSHAKE_COMPLETED);
    NetworkLayerInfo info = input.message().find(NetworkLayerInfo.class).orElseThrow();
    long now = store.now();
    confirmedAt = (int) now;
    contents.payload(null);
    boolean upstream = machine.key().mri().upstream();
    machine.distance(upstream ? input.arrival().distance(info) : info.ipTtl());
    handshakes.queries().forget(machine);
    long valid = Validity.taken(info.validityMillis());
    timers.answered(now + Validity.refreshAfter(valid, handshakes.random()), now + valid);
    machine.peer(input.peer());
  }

  /** Begins the refresh soon. Many sessions may have used the association, so not all at once. */
  private void refreshSoon() {
    long spread = 1000L * store.table().size() / Math.max(1, handshakes.settings().rate());
    timers.refreshBy(store.now() + handshakes.random().nextLong(1 + Math.max(0, spread)));
  }

  // ---- messages that the peer may not have

  private void recall(String reason) {
    if (machine.forgetReliable()) {
      unproven.doubt(reason);
    }
    takeBack();
    if (unproven.decided()) {
      tellLoss();
    }
  }

  /** Lets the messages wait again, in their order, that the peer certainly did not take. */
  private void takeBack() {
    List<Pending> back = unproven.takeBack();
    for (int i = back.size() - 1; i >= 0; i--) {
      Pending again = back.get(i);
      if (again.repeats() > REPEATS_MAX) {
        String detail = "the peer refused it " + again.repeats() + " times";
        machine.status(again, MessageStatus.REFUSED, detail);
      } else {
        counters.count(Counter.DATA_RESENT);
        machine.enqueueFirst(again);
      }
    }
  }

  private void restart(String reason) {
    failures.restarted();
    counters.count(Counter.HANDSHAKE_RESTARTED);
    List<Pending> datagrams = unproven.takeDatagrams();
    for (int i = datagrams.size() - 1; i >= 0; i--) {
      machine.enqueueFirst(datagrams.get(i));
    }
    machine.use(null);
    machine.status(RoutingStatus.BAD, reason);
  }

  private void leaveTls(QueryInput input) {
    counters.count(Counter.ASSOCIATION_WITHOUT_TLS);
    if (machine.forgetReliable()) {
      unproven.doubt(input.reason());
    }
    unproven.refusedConfirm(input.association());
    takeBack();
    tellLoss();
  }

  private void tellLoss() {
    String reason = unproven.takeDoubt();
    if (reason != null) {
      machine.lost(reason);
    }
  }

  // ---- the end

  /** Ends the state. Waiting messages fail, and the application learns that the peer is gone. */
  private void end(MessageStatus why, String detail) {
    tellLoss();
    machine.failAll(why, detail);
    if (machine.peer() != null) {
      machine.status(RoutingStatus.BAD, detail);
      machine.notify(Kind.ROUTE_DELETION, null, machine.peer(), detail);
    }
    handshakes.queries().forget(machine);
    machine.remove();
  }

  private void leave() {
    tellLoss();
    handshakes.queries().forget(machine);
    machine.remove();
  }
}
