// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.MessageStatus;
import org.netserv.gist.NetworkNotification;
import org.netserv.gist.NetworkNotification.Kind;
import org.netserv.gist.ReceivedMessage;
import org.netserv.gist.RoutingStatus;
import org.netserv.gist.routing.Peers.Peer;
import org.netserv.gist.wire.GistMessage;
import org.netserv.gist.wire.NslpData;

/**
 * An entry of the routing table: the peer of a session, and the news of it to the application.
 *
 * <p>There may be hundreds of thousands of entries. A field that few entries use at a time is null
 * in the others. All timers of an entry share one entry in the wheel, which is this class.
 */
abstract sealed class RoutingEntry extends TimerWheel.Entry permits LinkedEntry {
  final StateContext context;
  private final RoutingKey key;
  private Peer peer;
  private RoutingStatus status = RoutingStatus.BAD;
  private boolean gone;
  private byte distance;

  RoutingEntry(RoutingKey key, StateContext context) {
    this.key = key;
    this.context = context;
  }

  final RoutingKey key() {
    return key;
  }

  /** Returns the peer; null before the peer is known. */
  final Peer peer() {
    return peer;
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

  /** Returns whether the entry was removed. It must not do anything any more then. */
  final boolean gone() {
    return gone;
  }

  // ---- the peer

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

  /** Gives the peer back, if there is one. */
  final void releasePeer() {
    if (peer != null) {
      context.store.peers.release(peer);
    }
  }

  /** Ends the entry, which must not do anything any more, and stops its timer. */
  final void end() {
    gone = true;
    context.store.wheel.cancel(this);
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

  /** Tells the application that reliable messages may not have arrived. */
  final void lost(String reason) {
    notify(Kind.COMMUNICATION_FAILURE, null, peer, reason);
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
}
