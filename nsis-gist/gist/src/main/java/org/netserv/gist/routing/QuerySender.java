// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.net.InetAddress;
import java.util.Optional;
import org.netserv.gist.GistCounters;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.GistSettings;
import org.netserv.gist.association.Associations.Offer;
import org.netserv.gist.port.IcmpError;
import org.netserv.gist.port.OutboundDatagram;
import org.netserv.gist.routing.OutstandingQueries.Querier;
import org.netserv.gist.wire.GistMessage;
import org.netserv.gist.wire.NetworkLayerInfo;
import org.netserv.gist.wire.QueryCookie;

/** Sends the Queries of a node, and knows those that wait for a Response. */
final class QuerySender {
  private final GistSettings settings;
  private final Cookies cookies;
  private final Outbox outbox;
  private final Applications applications;
  private final GistCounters counters;
  private final OutstandingQueries outstanding = new OutstandingQueries();

  QuerySender(
      GistSettings settings,
      Cookies cookies,
      Outbox outbox,
      Applications applications,
      GistCounters counters) {
    this.settings = settings;
    this.cookies = cookies;
    this.outbox = outbox;
    this.applications = applications;
    this.counters = counters;
  }

  /**
   * Sends a Query. The payload is left out when the Query would not fit a datagram with it.
   *
   * @param offer null: no association is wanted
   */
  void send(Querier querier, QueryExchange exchange, QueryContents contents, Offer offer) {
    RoutingKey key = querier.key();
    InetAddress target = DatagramSender.target(key.mri());
    InetAddress own = outbox.network().addressTowards(target).orElse(null);
    if (own == null) {
      counters.count(Counter.SEND_FAILED); // the next retransmission may find a route
      return;
    }
    exchange.own(own);
    boolean upstream = key.mri().upstream();
    boolean ownSource = upstream || byOwnSource(exchange);
    NetworkLayerInfo info =
        outbox.messages().own(upstream ? querier.distance() : DatagramSender.TTL, own);
    QueryCookie cookie = cookies.query();
    int hops = contents.hops();
    byte[] payload = contents.payload();
    GistMessage query = outbox.messages().query(key, hops, ownSource, info, cookie, offer, payload);
    if (payload != null && !outbox.sender().fits(query, target)) {
      query = outbox.messages().query(key, hops, ownSource, info, cookie, offer, null);
    }
    OutboundDatagram datagram =
        outbox
            .sender()
            .explicit(
                querier.rank(),
                query,
                key.mri(),
                ownSource ? own : null,
                applications.routerAlert(key.nslpId()));
    if (datagram == null) {
      exchange.dropped();
      return;
    }
    boolean first = exchange.queries() == 0;
    counters.count(first ? Counter.QUERY_SENT : Counter.QUERY_RETRANSMITTED);
    exchange.sent(cookie, offer != null, contents.secure());
    if (outbox.network().isLocal(datagram.source())) {
      outstanding.add(querier, new OutstandingQueries.Sent(datagram, cookie));
    }
  }

  private boolean byOwnSource(QueryExchange exchange) {
    int after = settings.sourceAddressAfter();
    return after >= 0 && exchange.queries() >= after;
  }

  /** Forgets the Queries of a session, because a Response has come, or none is wanted any more. */
  void forget(Querier querier) {
    outstanding.forget(querier, DatagramSender.target(querier.key().mri()));
  }

  /** Finds the session that sent the Query which an error quotes. */
  Optional<Querier> find(IcmpError error) {
    return outstanding.find(error);
  }
}
