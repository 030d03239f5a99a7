// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import org.netserv.gist.GistCounters;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.PeeringDecision;
import org.netserv.gist.ReceivedMessage;
import org.netserv.gist.SiiHandle;
import org.netserv.gist.TransferAttributes;
import org.netserv.gist.port.InboundDatagram;
import org.netserv.gist.wire.GistMessage;
import org.netserv.gist.wire.Mri;
import org.netserv.gist.wire.NetworkLayerInfo;
import org.netserv.gist.wire.NslpData;
import org.netserv.gist.wire.RawMessage;
import org.netserv.gist.wire.SessionId;

/**
 * A Query for an application of ours (RFC 5971 sections 4.3.2, 5.8.1, 6.1 rule 1): is it credible,
 * and does the application want it?
 */
final class QueryReception {
  private final Credibility credibility;
  private final Verdicts verdicts;
  private final RoutingTable table;
  private final Applications applications;
  private final QueryAnswers answers;
  private final GistCounters counters;

  QueryReception(
      Credibility credibility,
      Verdicts verdicts,
      RoutingTable table,
      Applications applications,
      QueryAnswers answers,
      GistCounters counters) {
    this.credibility = credibility;
    this.verdicts = verdicts;
    this.table = table;
    this.applications = applications;
    this.answers = answers;
    this.counters = counters;
  }

  void query(Arrival arrival, GistMessage query) {
    NetworkLayerInfo sender = query.find(NetworkLayerInfo.class).orElseThrow();
    if (answers.toOurselves(sender)) {
      counters.count(Counter.DROPPED_OWN);
      verdicts.pass(arrival.datagram());
      return;
    }
    if (!credibility.accepts(arrival, query, sender)) {
      verdicts.take(arrival.datagram());
      return;
    }
    RoutingKey key = key(query).flipped();
    if (table.find(key) == null && !table.room(sender.address())) {
      passBy(arrival, query);
      return;
    }
    PeeringDecision decision = applications.check(received(arrival, query, sender));
    if (decision.peer() || arrival.datagram().local()) {
      verdicts.take(arrival.datagram());
      answers.respond(arrival, query, key, decision.payload());
    } else {
      counters.count(Counter.FORWARDED_BY_APPLICATION);
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
      counters.count(Counter.STATE_REFUSED);
      verdicts.take(arrival.datagram());
    } else {
      counters.count(Counter.FORWARDED_OVERLOAD);
      forward(arrival, query, null);
    }
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
    verdicts.forward(arrival, message, query.header().hops());
  }
}
