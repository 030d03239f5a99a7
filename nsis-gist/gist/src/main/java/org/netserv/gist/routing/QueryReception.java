// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.PeeringDecision;
import org.netserv.gist.ReceivedMessage;
import org.netserv.gist.SiiHandle;
import org.netserv.gist.TransferAttributes;
import org.netserv.gist.association.Association;
import org.netserv.gist.association.Associations.Offer;
import org.netserv.gist.port.InboundDatagram;
import org.netserv.gist.routing.RateLimiter.Rank;
import org.netserv.gist.wire.ErrorInfo;
import org.netserv.gist.wire.ErrorMessages;
import org.netserv.gist.wire.GistError;
import org.netserv.gist.wire.GistMessage;
import org.netserv.gist.wire.Mri;
import org.netserv.gist.wire.NatTraversal;
import org.netserv.gist.wire.NetworkLayerInfo;
import org.netserv.gist.wire.NslpData;
import org.netserv.gist.wire.QueryCookie;
import org.netserv.gist.wire.RawMessage;
import org.netserv.gist.wire.ResponderCookie;
import org.netserv.gist.wire.SessionId;
import org.netserv.gist.wire.StackConfiguration;
import org.netserv.gist.wire.StackProposal;

/**
 * A Query for an application of ours (RFC 5971 sections 4.3.2, 5.8.1, 6.1 rule 1): is it credible,
 * does the application want it, and the Response, for which nothing is stored.
 */
final class QueryReception {
  private final Interception interception;
  private final StateContext context;
  private final Handshakes handshakes;

  QueryReception(Interception interception, StateContext context, Handshakes handshakes) {
    this.interception = interception;
    this.context = context;
    this.handshakes = handshakes;
  }

  void query(Arrival arrival, GistMessage query) {
    NetworkLayerInfo sender = query.find(NetworkLayerInfo.class).orElseThrow();
    if (context.outbox.messages.ours(sender)) {
      context.counters.count(Counter.DROPPED_OWN);
      interception.pass(arrival.datagram());
      return;
    }
    if (!credible(arrival, query, sender)) {
      interception.take(arrival.datagram());
      return;
    }
    RoutingKey key = key(query).flipped();
    if (context.store.table.find(key) == null && !context.store.table.room(sender.address())) {
      passBy(arrival, query);
      return;
    }
    PeeringDecision decision = context.applications.check(received(arrival, query, sender));
    if (decision.peer() || arrival.datagram().local()) {
      interception.take(arrival.datagram());
      respond(arrival, query, key, decision.payload());
    } else {
      context.counters.count(Counter.FORWARDED_BY_APPLICATION);
      forward(arrival, query, decision.payload());
    }
  }

  static RoutingKey key(GistMessage message) {
    return new RoutingKey(
        message.find(Mri.class).orElseThrow(),
        message.find(SessionId.class).orElseThrow(),
        message.header().nslpId());
  }

  private void passBy(Arrival arrival, GistMessage query) {
    if (arrival.datagram().local()) {
      context.counters.count(Counter.STATE_REFUSED);
      interception.take(arrival.datagram());
    } else {
      context.counters.count(Counter.FORWARDED_OVERLOAD);
      forward(arrival, query, null);
    }
  }

  /** The checks of section 5.8.1.2 and 7.2.1; false: it was refused. */
  private boolean credible(Arrival arrival, GistMessage query, NetworkLayerInfo sender) {
    InboundDatagram datagram = arrival.datagram();
    Mri mri = query.find(Mri.class).orElseThrow();
    if (query.header().sourceAddress() && arrival.translated(sender)) {
      return untranslated(arrival, Mri.TYPE, null);
    }
    Optional<NatTraversal> nat = query.find(NatTraversal.class);
    if (nat.isPresent()) {
      return translatedByNat(arrival, query, nat.get());
    }
    if (mri.ipVersion() != version(datagram.destination()) || mri.ipVersion() != version(sender)) {
      return refuseMri(arrival, GistError.IP_VERSION_MISMATCH, mri);
    }
    if (mri.upstream()) {
      return nearby(arrival);
    }
    if (handshakes.settings.strictIngress()
        && !reachedBy(mri.source(), datagram.interfaceIndex())) {
      return refuseMri(arrival, GistError.INGRESS_FILTER_FAILURE, mri);
    }
    if (!datagram.local() && Wildness.tooWild(mri, handshakes.settings.prefixMin())) {
      return refuseMri(arrival, GistError.MRI_TOO_WILD, mri);
    }
    return true;
  }

  /** An upstream Query is believed only from the other end of a link (section 5.8.1.3). */
  private boolean nearby(Arrival arrival) {
    if (arrival.ttl() == 0 || arrival.ttl() >= 254) {
      return true;
    }
    interception.refuse(arrival, Counter.REFUSED_TTL, GistError.INVALID_TTL, List.of());
    return false;
  }

  private boolean reachedBy(InetAddress source, int interfaceIndex) {
    return interfaceIndex == 0 || context.outbox.network.interfaceTowards(source) == interfaceIndex;
  }

  private boolean refuseMri(Arrival arrival, GistError error, Mri mri) {
    List<ErrorInfo> info = List.of(ErrorMessages.objectValue(0, mri));
    interception.refuse(arrival, Counter.REFUSED_MRI, error, info);
    return false;
  }

  private boolean untranslated(Arrival arrival, int type, NatTraversal nat) {
    Counter why = nat == null ? Counter.REFUSED_LEGACY_NAT : Counter.REFUSED_NAT_TRAVERSAL;
    List<ErrorInfo> info = List.of(ErrorInfo.objectType(type));
    interception.refuse(arrival, why, GistError.UNTRANSLATED_OBJECT, info);
    return false;
  }

  /**
   * Behind a NAT that knows GIST (section 7.2.3). We do not keep two forms of an MRI, so this is
   * refused even when all was translated; the object that was not is named, else the MRI.
   */
  private boolean translatedByNat(Arrival arrival, GistMessage query, NatTraversal nat) {
    List<Integer> types = nat.translated().stream().map(head -> head & 0xfff).toList();
    int missing = Mri.TYPE;
    if (!types.contains(NetworkLayerInfo.TYPE)) {
      missing = NetworkLayerInfo.TYPE;
    } else if (query.find(StackConfiguration.class).isPresent()
        && !types.contains(StackConfiguration.TYPE)) {
      missing = StackConfiguration.TYPE;
    }
    return untranslated(arrival, missing, nat);
  }

  private static int version(InetAddress address) {
    return address.getAddress().length == 4 ? 4 : 6;
  }

  private static int version(NetworkLayerInfo info) {
    return version(info.address());
  }

  private ReceivedMessage received(Arrival arrival, GistMessage query, NetworkLayerInfo sender) {
    InboundDatagram datagram = arrival.datagram();
    RoutingKey key = key(query);
    return new ReceivedMessage(
        query.find(NslpData.class).map(NslpData::bytes).orElse(new byte[0]),
        key.nslpId(),
        key.session(),
        key.mri(),
        false,
        SiiHandle.of(sender.peerIdentity(), sender.address(), datagram.interfaceIndex()),
        TransferAttributes.STATELESS,
        "",
        datagram.ttl(),
        key.mri().upstream() ? sender.ipTtl() : arrival.distance(sender),
        query.header().hops(),
        datagram.interfaceIndex(),
        datagram.local());
  }

  /** On to the next node: only the hop count, and the payload if there is a new one, change. */
  private void forward(Arrival arrival, GistMessage query, byte[] payload) {
    byte[] message = arrival.message();
    if (payload != null) {
      message = RawMessage.withData(message, new NslpData(payload));
    }
    interception.forward(arrival, message, query.header().hops());
  }

  // ---- the Response

  private void respond(Arrival arrival, GistMessage query, RoutingKey key, byte[] payload) {
    NetworkLayerInfo sender = query.find(NetworkLayerInfo.class).orElseThrow();
    Optional<InetAddress> own = context.outbox.network.addressTowards(sender.address());
    if (own.isEmpty() || sender.address().isMulticastAddress()) {
      context.counters.count(Counter.SEND_FAILED);
      return;
    }
    StackProposal theirs = query.find(StackProposal.class).orElse(null);
    Association reused =
        theirs == null
            ? null
            : handshakes.associations.reusable(sender, theirs, false).orElse(null);
    RespondingMachine known = knownPeer(key, sender, arrival.datagram().interfaceIndex());
    Offer offer =
        theirs == null || reused != null
            ? null
            : handshakes.associations.responseOffer(key.mri().ipVersion());
    boolean settled = known != null && offer == null && known.association() == reused;
    GistMessage response = response(arrival, query, key, own.get(), offer, settled, payload);
    context.counters.count(Counter.RESPONSE_SENT);
    if (reused != null) {
      context.counters.count(Counter.ASSOCIATION_REUSED);
      reused.send(response);
    } else {
      int port = arrival.datagram().sourcePort();
      Rank rank = known == null ? Rank.ANSWER : known.rank();
      context.outbox.sender.send(rank, response, own.get(), sender.address(), port);
    }
    if (known != null) {
      long validity = response.find(NetworkLayerInfo.class).orElseThrow().validityMillis();
      known.query(settled ? null : response, validity);
    }
  }

  /** Our state, when it is with the sender of the Query by the same interface. */
  private RespondingMachine knownPeer(RoutingKey key, NetworkLayerInfo sender, int interfaceIndex) {
    return context.store.table.find(key) instanceof RespondingMachine machine
            && machine.peer().info().samePeer(sender)
            && machine.peer().handle().interfaceIndex() == interfaceIndex
        ? machine
        : null;
  }

  private GistMessage response(
      Arrival arrival,
      GistMessage query,
      RoutingKey key,
      InetAddress own,
      Offer offer,
      boolean settled,
      byte[] payload) {
    NetworkLayerInfo sender = query.find(NetworkLayerInfo.class).orElseThrow();
    int distance = key.mri().upstream() ? arrival.distance(sender) : sender.ipTtl();
    long now = context.store.now();
    ResponderCookie cookie =
        settled
            ? null
            : handshakes.cookies.responder(
                key,
                sender,
                new Cookies.Memory(
                    arrival.datagram().interfaceIndex(),
                    offer == null ? 0 : Cookies.OFFERED,
                    distance,
                    arrival.datagram().sourcePort(),
                    (int) now),
                now);
    int ttl = key.mri().upstream() ? distance : DatagramSender.TTL;
    long validity = context.outbox.messages.validity().given(sender.validityMillis());
    return context.outbox.messages.response(
        key,
        context.outbox.messages.own(ttl, validity, own),
        query.find(QueryCookie.class).orElseThrow(),
        cookie,
        offer,
        payload);
  }
}
