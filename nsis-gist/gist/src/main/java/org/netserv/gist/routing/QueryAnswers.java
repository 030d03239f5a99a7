// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.net.InetAddress;
import java.util.Optional;
import org.netserv.gist.GistCounters;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.association.Association;
import org.netserv.gist.association.Associations.Offer;
import org.netserv.gist.routing.RateLimiter.Rank;
import org.netserv.gist.wire.GistMessage;
import org.netserv.gist.wire.NetworkLayerInfo;
import org.netserv.gist.wire.QueryCookie;
import org.netserv.gist.wire.ResponderCookie;
import org.netserv.gist.wire.StackProposal;

/** Answers Queries with Responses, for which nothing is stored (RFC 5971 section 5.8.1). */
final class QueryAnswers {
  private final StateStore store;
  private final Outbox outbox;
  private final Handshakes handshakes;
  private final GistCounters counters;

  QueryAnswers(StateStore store, Outbox outbox, Handshakes handshakes, GistCounters counters) {
    this.store = store;
    this.outbox = outbox;
    this.handshakes = handshakes;
    this.counters = counters;
  }

  /** Returns whether a Query is our own. */
  boolean toOurselves(NetworkLayerInfo sender) {
    return outbox.messages().ours(sender);
  }

  /** Sends the Response to a Query. The key is that of our state. */
  void respond(Arrival arrival, GistMessage query, RoutingKey key, byte[] payload) {
    NetworkLayerInfo sender = query.find(NetworkLayerInfo.class).orElseThrow();
    Optional<InetAddress> own = outbox.network().addressTowards(sender.address());
    if (own.isEmpty() || sender.address().isMulticastAddress()) {
      counters.count(Counter.SEND_FAILED);
      return;
    }
    StackProposal theirs = query.find(StackProposal.class).orElse(null);
    Association reused =
        theirs == null
            ? null
            : handshakes.associations().reusable(sender, theirs, false).orElse(null);
    RespondingMachine known = knownPeer(key, sender, arrival.datagram().interfaceIndex());
    Offer offer =
        theirs == null || reused != null
            ? null
            : handshakes.associations().responseOffer(key.mri().ipVersion());
    boolean settled = known != null && offer == null && known.association() == reused;
    GistMessage response = response(arrival, query, key, own.get(), offer, settled, payload);
    counters.count(Counter.RESPONSE_SENT);
    if (reused != null) {
      counters.count(Counter.ASSOCIATION_REUSED);
      reused.send(response);
    } else {
      int port = arrival.datagram().sourcePort();
      Rank rank = known == null ? Rank.ANSWER : known.rank();
      outbox.sender().send(rank, response, own.get(), sender.address(), port);
    }
    if (known != null) {
      long validity = response.find(NetworkLayerInfo.class).orElseThrow().validityMillis();
      known.query(settled ? null : response, validity);
    }
  }

  /** Our state, when it is with the sender of the Query by the same interface. */
  private RespondingMachine knownPeer(RoutingKey key, NetworkLayerInfo sender, int interfaceIndex) {
    return store.table().find(key) instanceof RespondingMachine machine
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
    long now = store.now();
    ResponderCookie cookie =
        settled
            ? null
            : handshakes
                .cookies()
                .responder(
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
    long validity = outbox.messages().validity().given(sender.validityMillis());
    return outbox
        .messages()
        .response(
            key,
            outbox.messages().own(ttl, validity, own),
            query.find(QueryCookie.class).orElseThrow(),
            cookie,
            offer,
            payload);
  }
}
