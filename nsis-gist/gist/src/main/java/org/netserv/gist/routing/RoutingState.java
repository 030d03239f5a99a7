// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.MessageStatus;
import org.netserv.gist.NetworkNotification;
import org.netserv.gist.NetworkNotification.Kind;
import org.netserv.gist.ReceivedMessage;
import org.netserv.gist.RoutingStatus;
import org.netserv.gist.association.Association;
import org.netserv.gist.routing.Peers.Peer;
import org.netserv.gist.routing.RateLimiter.Rank;
import org.netserv.gist.wire.GistMessage;
import org.netserv.gist.wire.NslpData;

/**
 * An entry of the routing table, with the machine that keeps it. The class has the common part of
 * Querying-SM and Responding-SM: the peer, the transport to it, and the messages that wait.
 *
 * <p>There may be hundreds of thousands of entries. A field that few entries use at a time is null
 * in the others. All timers of a machine share one entry in the wheel, which is this class.
 */
abstract sealed class RoutingState extends TimerWheel.Entry implements Association.User
    permits QueryingMachine, RespondingMachine {
  private static final int QUEUE_MAX = 64;

  final StateContext context;
  private final RoutingKey key;
  private Peer peer;
  private Association association;
  private RoutingStatus status = RoutingStatus.BAD;
  private ArrayDeque<Pending> queue;

  /**
   * True when the association is connected. Until then messages wait here, not in the association.
   */
  private boolean up;

  private boolean reliableSent;
  private boolean secrecy;
  private boolean gone;
  private byte distance;

  RoutingState(RoutingKey key, StateContext context) {
    this.key = key;
    this.context = context;
  }

  /** Takes a message of the application, and notes whether it asks for secrecy. */
  final void request(Pending pending) {
    secrecy |= pending.request().attributes().secure();
    send(pending);
  }

  /** Sends a message of the application, or lets it wait. */
  abstract void send(Pending pending);

  /** Delivers or refuses Data from the peer of this state. */
  abstract void data(Arrival arrival, GistMessage message);

  /**
   * Takes the peer's word that it has no routing state for us (er_NoRSM).
   *
   * @param by the association by which the peer said so about Data; null: by datagram
   */
  abstract void noRoutingState(Association by);

  /** Handles SetStateLifetime; zero: no further interest. */
  abstract void lifetime(Duration wanted);

  /** Handles InvalidateRoutingState. */
  abstract void invalidate(RoutingStatus now, byte[] forQuery, boolean urgent);

  /** Returns whether messages by this association may be for this state. */
  boolean takes(Association from) {
    return from == association;
  }

  /** Returns whether this message waits for an association that is being connected. */
  final boolean waitsForConnection(Pending pending) {
    return !up && suits(pending);
  }

  /** True after the application has asked for TLS with a message of this session. */
  final boolean secrecy() {
    return secrecy;
  }

  /** Returns the UDP port of the peer. */
  abstract int port();

  /** Returns our address as the peer knows it. */
  abstract InetAddress own();

  final RoutingKey key() {
    return key;
  }

  /** Returns the peer; null before the peer is known. */
  final Peer peer() {
    return peer;
  }

  final Association association() {
    return association;
  }

  final RoutingStatus status() {
    return status;
  }

  final int distance() {
    return distance & 0xff;
  }

  final void distance(int hops) {
    distance = (byte) hops;
  }

  final long now() {
    return context.store.now();
  }

  /** Returns whether the state was removed. It must not do anything any more then. */
  final boolean gone() {
    return gone;
  }

  // ---- the peer and the way to it

  /** Takes a peer, and tells the application when there was another peer, or none, so far. */
  final void peer(Peer found) {
    Peer former = peer;
    peer = found;
    if (former == null) {
      status(RoutingStatus.GOOD, "established");
    } else if (former == found) {
      context.store.peers.release(former);
      status(RoutingStatus.GOOD, "verified");
    } else {
      context.counters.count(Counter.ROUTE_CHANGED);
      status = RoutingStatus.GOOD;
      notify(Kind.ROUTING_STATUS_CHANGE, RoutingStatus.GOOD, found, "route changed");
      notify(Kind.ROUTE_DELETION, null, former, "route changed");
      context.store.peers.release(former);
    }
  }

  /** Changes the status, and tells the application of the change. */
  final void status(RoutingStatus now, String reason) {
    if (status != now) {
      status = now;
      notify(Kind.ROUTING_STATUS_CHANGE, now, now == RoutingStatus.GOOD ? peer : null, reason);
    }
  }

  final void statusByApplication(RoutingStatus now) {
    status = now;
  }

  /** Uses this association from now on; null = none. */
  final void use(Association now) {
    if (association == now) {
      return;
    }
    Association former = association;
    association = now;
    up = now != null && now.connected();
    reliableSent = false;
    if (former != null) {
      former.detach(this);
    }
    if (now != null) {
      now.attach(this);
    }
  }

  /** Returns whether this message has to go by an association (section 4.3.3). */
  final boolean needsAssociation(Pending pending) {
    return pending.reliable() || !context.outbox.sender.fits(datagram(pending), peer.address());
  }

  private boolean suits(Pending pending) {
    return association != null
        && (!pending.request().attributes().secure() || association.secure());
  }

  private GistMessage datagram(Pending pending) {
    int ttl = key.mri().upstream() ? distance() : DatagramSender.TTL;
    return context.outbox.messages.data(
        key, pending.hops(), context.outbox.messages.own(ttl, own()), pending.request().payload());
  }

  /** Returns whether a message can be sent now, because the transport that there is suits it. */
  final boolean sendable(Pending pending) {
    return suits(pending) || !needsAssociation(pending);
  }

  /**
   * Sends a message by the available transport, the association before datagrams.
   *
   * @return false: the message needs an association, and there is none, or not a secure one
   */
  final boolean transmit(Pending pending) {
    if (suits(pending)) {
      sendByAssociation(pending);
      return true;
    }
    if (needsAssociation(pending)) {
      return false;
    }
    if (context.outbox.sender.send(Rank.OWN, datagram(pending), own(), peer.address(), port())) {
      context.counters.count(Counter.DATA_SENT);
      status(pending, MessageStatus.SENT, "");
      sentByDatagram(pending);
    } else {
      status(pending, MessageStatus.REFUSED, "rate limit");
    }
    return true;
  }

  /** Called for a message that left by datagram. No peer confirms its arrival. */
  void sentByDatagram(Pending pending) {}

  private void sendByAssociation(Pending pending) {
    context.counters.count(Counter.DATA_SENT);
    reliableSent |= pending.reliable();
    status(pending, MessageStatus.SENT, "");
    sentByAssociation(pending);
    association.send(
        context.outbox.messages.data(key, pending.hops(), null, pending.request().payload()));
  }

  /** Notes a message that leaves by the association. */
  void sentByAssociation(Pending pending) {}

  @Override
  public final void associationConnected(Association connected) {
    if (connected != association) {
      return;
    }
    up = true;
    context.applications.begin();
    try {
      for (Pending next = head(); next != null && suits(next) && !holds(); next = head()) {
        removeHead();
        transmit(next);
      }
    } finally {
      context.applications.end();
    }
  }

  @Override
  public final void associationFailed(Association failed, String reason) {
    if (failed != association || gone) {
      return;
    }
    context.counters.count(Counter.ASSOCIATION_FAILED);
    boolean unconnected = !up;
    association = null;
    up = false;
    mayBeLost(reason);
    associationLost(failed, unconnected);
  }

  /** Tells the application when reliable messages may not have arrived. */
  final void mayBeLost(String reason) {
    if (forgetReliable()) {
      lost(reason);
    }
  }

  /** Returns whether reliable messages were sent by this association, and forgets that. */
  final boolean forgetReliable() {
    boolean sent = reliableSent;
    reliableSent = false;
    return sent;
  }

  final void lost(String reason) {
    notify(Kind.COMMUNICATION_FAILURE, null, peer, reason);
  }

  @Override
  public final void associationRefused(Association failed, String reason) {
    if (failed != association || gone) {
      return;
    }
    context.counters.count(Counter.STATE_REVOKED);
    association = null;
    up = false;
    notify(Kind.NODE_AUTHORISATION_CHANGE, null, peer, reason);
    mayBeLost(reason);
    revoked(reason);
  }

  @Override
  public final void associationUnwelcome(Association failed, String reason) {
    if (failed != association || gone) {
      return;
    }
    if (!doesWithoutTls(failed)) {
      associationRefused(failed, reason);
      return;
    }
    context.counters.count(Counter.ASSOCIATION_FAILED);
    association = null;
    up = false;
    withoutTls(failed, reason);
  }

  /**
   * Decides whether a session may go on by TCP where TLS fails because one peer does not admit the
   * other.
   */
  boolean doesWithoutTls(Association failed) {
    return false;
  }

  /** Goes on by TCP. No message that was sent by the association has arrived. */
  void withoutTls(Association failed, String reason) {}

  /** Returns whether messages wait for more than a connection. */
  boolean holds() {
    return false;
  }

  /** Ends the state, because the peer may not be one any more. */
  abstract void revoked(String reason);

  /**
   * Called when the association is gone. With {@code unconnected} it was never connected, and its
   * messages still wait.
   */
  abstract void associationLost(Association failed, boolean unconnected);

  // ---- messages that wait

  /** Lets a message wait, or refuses it when too many wait. */
  final void enqueue(Pending pending) {
    if (queue().size() >= QUEUE_MAX) {
      status(pending, MessageStatus.REFUSED, "too many messages wait");
    } else {
      queue.add(pending);
    }
  }

  final void enqueueFirst(Pending pending) {
    queue().addFirst(pending);
  }

  private ArrayDeque<Pending> queue() {
    queue = queue == null ? new ArrayDeque<>(2) : queue;
    return queue;
  }

  /** Returns the first waiting message; null = none. */
  final Pending head() {
    return queue == null ? null : queue.peek();
  }

  final void removeHead() {
    queue.remove();
    if (queue.isEmpty()) {
      queue = null;
    }
  }

  /**
   * Takes over the waiting messages of a state that this one replaces, and its application's wish
   * for secrecy.
   */
  final void inherit(RoutingState former) {
    secrecy |= former.secrecy;
    for (Pending next = former.head(); next != null; next = former.head()) {
      former.removeHead();
      enqueue(next);
    }
  }

  /**
   * Returns the time when the first waiting request is out of time; {@link Long#MAX_VALUE} = never.
   */
  final long firstDeadline() {
    long first = Long.MAX_VALUE;
    if (queue != null) {
      for (Pending pending : queue) {
        first = Math.min(first, pending.deadline());
      }
    }
    return first;
  }

  /** Gives up the requests that are out of time. Returns true when there were any. */
  final boolean expireRequests(long now, MessageStatus why, String detail) {
    if (firstDeadline() > now) {
      return false;
    }
    queue.removeIf(
        pending -> {
          boolean late = pending.deadline() <= now;
          if (late) {
            status(pending, why, detail);
          }
          return late;
        });
    queue = queue.isEmpty() ? null : queue;
    return true;
  }

  /** Gives up all waiting messages. */
  final void failAll(MessageStatus why, String detail) {
    for (Pending pending = head(); pending != null; pending = head()) {
      removeHead();
      status(pending, why, detail);
    }
  }

  // ---- the application

  final void status(Pending pending, MessageStatus what, String detail) {
    context.applications.status(key.nslpId(), pending.request().handle(), what, detail);
    if (pending.repeats() > 0 && what != MessageStatus.SENT && pending.reliable()) {
      lost(detail); // the application was told that it was sent
    }
  }

  final void notify(Kind kind, RoutingStatus now, Peer about, String reason) {
    context.applications.notify(
        new NetworkNotification(
            key.nslpId(),
            key.mri(),
            key.session(),
            kind,
            now,
            about == null ? null : about.handle(),
            reason));
  }

  /**
   * Hands a payload that came from the peer to the application. Does nothing when there is no
   * payload.
   */
  final void deliver(Arrival arrival, GistMessage message) {
    message
        .find(NslpData.class)
        .ifPresent(
            data ->
                context.applications.deliver(
                    new ReceivedMessage(
                        data.bytes(),
                        key.nslpId(),
                        key.session(),
                        key.mri().flipped(),
                        true,
                        peer.handle(),
                        arrival.attributes(),
                        arrival.peerName(),
                        arrival.ttl(),
                        distance(),
                        message.header().hops(),
                        arrival.interfaceIndex(),
                        context.outbox.network.isLocal(
                            DatagramSender.target(key.mri().flipped())))));
  }

  // ---- the end

  /** Ends the state: out of the table, its timer off, its association and its peer free. */
  void remove() {
    gone = true;
    context.store.wheel.cancel(this);
    context.store.table.remove(this);
    use(null);
    if (peer != null) {
      context.store.peers.release(peer);
    }
  }
}
