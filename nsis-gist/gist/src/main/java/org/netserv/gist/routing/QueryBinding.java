// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.association.Association;
import org.netserv.gist.association.Associations.Offer;
import org.netserv.gist.association.NoAssociationException;
import org.netserv.gist.routing.RateLimiter.Rank;
import org.netserv.gist.wire.GistMessage;
import org.netserv.gist.wire.NetworkLayerInfo;
import org.netserv.gist.wire.ResponderCookie;
import org.netserv.gist.wire.StackConfiguration;
import org.netserv.gist.wire.StackProposal;

/**
 * Chooses the transport to the peer after a Response: the association of the Response, an existing
 * one, a new one, or datagrams. Then sends the Confirm, which is the first message of the flow on
 * that transport.
 */
final class QueryBinding {
  private final QueryingMachine machine;
  private final QueryExchange exchange;
  private final StateContext context;
  private final Handshakes handshakes;

  /**
   * True when the Response is not the first. Its Confirm may wait, because a sender may repeat the
   * Response.
   */
  private final boolean repeated;

  QueryBinding(QueryingMachine machine, StateContext context, Handshakes handshakes) {
    this.machine = machine;
    this.exchange = machine.exchange;
    this.context = context;
    this.handshakes = handshakes;
    this.repeated = exchange.bound();
  }

  /** Chooses the transport. Returns null, or the reason why there is no transport. */
  String bind(Arrival arrival, GistMessage response) {
    boolean secure = machine.wantsSecure;
    NetworkLayerInfo peer = response.find(NetworkLayerInfo.class).orElseThrow();
    if (arrival.byAssociation()) {
      if (secure && !arrival.association().secure()) {
        return "the peer answers by an association without TLS";
      }
      context.counters.count(Counter.ASSOCIATION_REUSED);
      machine.use(arrival.association());
      exchange.setBound(machine.now());
      confirm(response, peer, response.find(StackProposal.class).orElse(null));
      return null;
    }
    StackProposal proposal = response.find(StackProposal.class).orElse(null);
    if (!machine.wantsAssociation || proposal == null) {
      machine.use(null);
      exchange.setBound(
          machine.now()); // a message that needs an association asks for one, or asked in vain
      confirm(response, peer, null);
      return null;
    }
    if (exchange.bound() && machine.association() != null) {
      confirm(response, peer, proposal); // a repeated Response: the Confirm was lost
      return null;
    }
    return byAssociation(response, peer, proposal, secure);
  }

  private String byAssociation(
      GistMessage response, NetworkLayerInfo peer, StackProposal proposal, boolean secure) {
    // If the peer still had our association for this session, it would have answered by that
    // association.
    Association stale = machine.association();
    machine.use(null);
    Optional<Association> known =
        handshakes.associations.reusable(peer, proposal, secure).filter(a -> a != stale);
    exchange.setBound(machine.now());
    if (known.isPresent()) {
      context.counters.count(Counter.ASSOCIATION_REUSED);
      machine.use(known.get());
      confirm(response, peer, proposal);
      return null;
    }
    StackConfiguration theirs = response.find(StackConfiguration.class).orElseThrow();
    try {
      machine.use(
          handshakes.associations.open(exchange.own(), peer, new Offer(proposal, theirs), secure));
    } catch (NoAssociationException e) {
      return e.getMessage();
    }
    context.counters.count(Counter.ASSOCIATION_OPENED);
    confirm(response, peer, proposal);
    return null;
  }

  /**
   * Sends the Confirm. A Confirm that echoes a proposal always carries our hold time, too. Only the
   * first Confirm of an association needs it (section 4.4.5), but the peer may take another Confirm
   * for the first than we do. Some peers insist on the hold time in each Confirm.
   */
  private void confirm(GistMessage response, NetworkLayerInfo peer, StackProposal proposal) {
    if (!response.header().reply()) {
      return;
    }
    context.counters.count(Counter.CONFIRM_SENT);
    Association by = machine.association();
    RoutingKey key = machine.key();
    ResponderCookie echo = response.find(ResponderCookie.class).orElse(null);
    boolean upstream = key.mri().upstream();
    if (by != null) {
      NetworkLayerInfo own =
          context.outbox.messages.own(upstream ? machine.distance() : 0, exchange.own());
      StackConfiguration hold =
          proposal == null ? null : new StackConfiguration(handshakes.settings.hold(), List.of());
      by.send(context.outbox.messages.confirm(key, own, echo, proposal, hold));
      return;
    }
    InetAddress from = exchange.own();
    NetworkLayerInfo own =
        context.outbox.messages.own(upstream ? machine.distance() : DatagramSender.TTL, from);
    context.outbox.sender.send(
        repeated ? Rank.ANSWER : Rank.UPKEEP,
        context.outbox.messages.confirm(key, own, echo, null, null),
        from,
        peer.address(),
        DatagramSender.PORT);
  }
}
