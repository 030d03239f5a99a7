// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.net.InetAddress;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.GistService;
import org.netserv.gist.MessageStatus;
import org.netserv.gist.NetworkNotification;
import org.netserv.gist.RoutingStatus;
import org.netserv.gist.SendRequest;
import org.netserv.gist.association.Association;
import org.netserv.gist.routing.RateLimiter.Rank;
import org.netserv.gist.wire.GistMessage;
import org.netserv.gist.wire.LooseEndMri;
import org.netserv.gist.wire.Mri;
import org.netserv.gist.wire.NetworkLayerInfo;
import org.netserv.gist.wire.SessionId;
import org.netserv.gist.wire.UnknownMri;

/** Handles the requests of applications (RFC 5971 appendix B, section 4.3.3). */
final class Requests {
  private final StateContext context;
  private final Handshakes handshakes;
  private final QueryActions actions;

  Requests(StateContext context, Handshakes handshakes) {
    this.context = context;
    this.handshakes = handshakes;
    this.actions = new QueryActions(context, handshakes);
  }

  void send(SendRequest request) {
    require(request.hops() == -1 || (request.hops() >= 1 && request.hops() <= 255), "hop count");
    require(request.payload().length <= GistService.MAX_PAYLOAD, "length of the payload");
    require(context.applications.hosts(request.nslpId()), "NSLPID");
    require(!(request.mri() instanceof UnknownMri), "message routing method");
    Pending pending = Pending.of(request, context.store.now());
    RoutingKey key = new RoutingKey(request.mri(), request.session(), request.nslpId());
    if (request.peer() != null) {
      sendToPeer(pending, key);
    } else if (context.outbox.network.isLocal(DatagramSender.target(request.mri()))) {
      endOfFlow(pending, key);
    } else if (request.attributes().stateless()) {
      sendStateless(pending, key);
    } else {
      sendByState(pending, key);
    }
  }

  private static void require(boolean right, String what) {
    if (!right) {
      throw new IllegalArgumentException(what);
    }
  }

  /** Reports that there is no node behind the end of a flow (section 4.2.1). */
  private void endOfFlow(Pending pending, RoutingKey key) {
    context.counters.count(Counter.LAST_NODE);
    context.applications.notify(
        new NetworkNotification(
            key.nslpId(),
            key.mri(),
            key.session(),
            NetworkNotification.Kind.LAST_NODE,
            null,
            null,
            NetworkNotification.ENDPOINT));
    status(pending, MessageStatus.LAST_NODE, NetworkNotification.ENDPOINT);
  }

  private void sendByState(Pending pending, RoutingKey key) {
    RoutingState state = context.store.table.find(key);
    if (state != null) {
      state.request(pending);
      return;
    }
    if (key.mri() instanceof LooseEndMri && key.mri().upstream()) {
      status(pending, MessageStatus.NO_ROUTE, "no Q-mode upstream"); // section 5.8.2.2
      return;
    }
    if (context.store.table.size() >= handshakes.settings.statesMax()) {
      context.counters.count(Counter.STATE_REFUSED);
      status(pending, MessageStatus.NO_ROUTE, "as many sessions as we hold");
      return;
    }
    context.counters.count(Counter.STATE_CREATED);
    QueryingMachine machine = new QueryingMachine(key, context, actions);
    context.store.table.add(machine);
    machine.request(pending);
  }

  /** Sends Data in Q-mode. Any node on the path with the application gets it, flagged. */
  private void sendStateless(Pending pending, RoutingKey key) {
    Mri mri = key.mri();
    Optional<InetAddress> own = context.outbox.network.addressTowards(DatagramSender.target(mri));
    if (own.isEmpty() || (mri instanceof LooseEndMri && mri.upstream())) {
      status(pending, MessageStatus.NO_ROUTE, "no Q-mode there");
      return;
    }
    boolean ownSource = mri.upstream() || handshakes.settings.sourceAddressAfter() == 0;
    int ttl = mri.upstream() ? 0 : DatagramSender.TTL;
    GistMessage message =
        context.outbox.messages.explicitData(
            key,
            pending.hops(),
            ownSource,
            context.outbox.messages.own(ttl, own.get()),
            pending.request().payload());
    if (!context.outbox.sender.fits(message, DatagramSender.target(mri))) {
      status(pending, MessageStatus.TOO_LARGE, "longer than a datagram");
      return;
    }
    int alert = context.applications.routerAlert(key.nslpId());
    InetAddress from = ownSource ? own.get() : null;
    sent(pending, context.outbox.sender.explicit(Rank.OWN, message, mri, from, alert) != null);
  }

  /**
   * Sends by explicit routing (section 7.1.4), without a look at routing state. The E-flag tells
   * the peer so.
   */
  private void sendToPeer(Pending pending, RoutingKey key) {
    byte[] identity = HexFormat.of().parseHex(pending.request().peer().peerIdentity());
    InetAddress address = pending.request().peer().address();
    NetworkLayerInfo peer = new NetworkLayerInfo(0, 1, identity, address);
    require(!context.outbox.messages.ours(peer), "ourselves as the peer");
    boolean secure = pending.request().attributes().secure();
    Optional<Association> association = handshakes.associations.reusable(peer, null, secure);
    byte[] payload = pending.request().payload();
    if (association.isPresent()) {
      association
          .get()
          .send(context.outbox.messages.routedData(key, pending.hops(), null, payload));
      sent(pending, true);
      return;
    }
    if (pending.reliable()) {
      status(pending, MessageStatus.NO_ASSOCIATION, "none with this peer");
      return;
    }
    Optional<InetAddress> own = context.outbox.network.addressTowards(address);
    if (own.isEmpty()) {
      status(pending, MessageStatus.NO_ROUTE, "no route to the peer");
      return;
    }
    int ttl = key.mri().upstream() ? 0 : DatagramSender.TTL;
    GistMessage message =
        context.outbox.messages.routedData(
            key, pending.hops(), context.outbox.messages.own(ttl, own.get()), payload);
    if (!context.outbox.sender.fits(message, address)) {
      status(pending, MessageStatus.TOO_LARGE, "longer than a datagram");
      return;
    }
    sent(
        pending,
        context.outbox.sender.send(Rank.OWN, message, own.get(), address, DatagramSender.PORT));
  }

  private void sent(Pending pending, boolean sent) {
    if (sent) {
      context.counters.count(Counter.DATA_SENT);
      status(pending, MessageStatus.SENT, "");
    } else {
      status(pending, MessageStatus.REFUSED, "rate limit");
    }
  }

  private void status(Pending pending, MessageStatus what, String detail) {
    SendRequest request = pending.request();
    context.applications.status(request.nslpId(), request.handle(), what, detail);
  }

  /** Sets the lifetime of state. A null session stands for all sessions of the flow. */
  void lifetime(int nslpId, Mri mri, SessionId session, Duration lifetime) {
    if (session != null) {
      RoutingState state = context.store.table.find(new RoutingKey(mri, session, nslpId));
      if (state != null) {
        state.lifetime(lifetime);
      }
      return;
    }
    for (RoutingState state :
        context.store.table.select(k -> k.nslpId() == nslpId && k.mri().equals(mri))) {
      state.lifetime(lifetime);
    }
  }

  void verify(RoutingKey key, Duration age, Duration patience) {
    if (context.store.table.find(key) instanceof QueryingMachine machine) {
      machine.verify(age.toMillis(), patience.toMillis());
    }
  }

  void invalidate(int nslpId, Mri mri, RoutingStatus status, byte[] payload, boolean urgent) {
    require(status != RoutingStatus.GOOD, "status GOOD is not the application's to give");
    for (RoutingState state :
        context.store.table.select(
            k -> (nslpId < 0 || k.nslpId() == nslpId) && k.mri().equals(mri))) {
      state.invalidate(status, payload, urgent);
    }
  }
}
