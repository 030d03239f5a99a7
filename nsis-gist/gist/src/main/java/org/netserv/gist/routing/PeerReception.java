// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.ReceivedMessage;
import org.netserv.gist.SiiHandle;
import org.netserv.gist.TransferAttributes;
import org.netserv.gist.association.Associations.Offer;
import org.netserv.gist.wire.ErrorInfo;
import org.netserv.gist.wire.GistError;
import org.netserv.gist.wire.GistFormatException;
import org.netserv.gist.wire.GistMessage;
import org.netserv.gist.wire.MessageType;
import org.netserv.gist.wire.Mri;
import org.netserv.gist.wire.NatTraversal;
import org.netserv.gist.wire.NetworkLayerInfo;
import org.netserv.gist.wire.NslpData;
import org.netserv.gist.wire.ResponderCookie;
import org.netserv.gist.wire.StackConfiguration;
import org.netserv.gist.wire.StackProposal;

/** Messages that a peer addressed to us: Response, Confirm, Data, Error. */
final class PeerReception {
  private final StateContext context;
  private final Handshakes handshakes;
  private final Errors errors;
  private final ErrorReception errorReception;

  PeerReception(StateContext context, Handshakes handshakes, Errors errors) {
    this.context = context;
    this.handshakes = handshakes;
    this.errors = errors;
    this.errorReception = new ErrorReception(context.store.table, context.counters);
  }

  void message(Arrival arrival, GistMessage message) {
    switch (message.type()) {
      case RESPONSE -> response(arrival, message);
      case ERROR -> errorReception.error(arrival, message);
      case CONFIRM, DATA -> {
        if (!context.applications.hosts(message.header().nslpId())) {
          context.counters.count(Counter.REFUSED_UNKNOWN_NSLP);
          errors.refuse(arrival, GistError.UNKNOWN_NSLPID);
        } else if (message.type() == MessageType.CONFIRM) {
          confirm(arrival, message);
        } else {
          data(arrival, message);
        }
      }
      case QUERY, MA_HELLO -> context.counters.count(Counter.UNEXPECTED_EVENT); // refused before
    }
    if (arrival.first() && message.type() != MessageType.CONFIRM) {
      arrival.association().abort("the first message is no Confirm");
    }
  }

  // ---- Response

  private void response(Arrival arrival, GistMessage message) {
    RoutingKey key = QueryReception.key(message);
    Optional<NatTraversal> nat = message.find(NatTraversal.class);
    if (nat.isPresent()) {
      try {
        // The NAT's translation comes back. Our own flow is the original (section 7.2.3).
        Mri original = Mri.decode(nat.get().originalMri());
        key = new RoutingKey(original.flipped(), key.session(), key.nslpId());
      } catch (GistFormatException e) {
        context.counters.count(Counter.DROPPED_RESPONSE_UNKNOWN);
        return;
      }
    }
    if (context.store.table.find(key.flipped()) instanceof QueryingMachine machine) {
      machine.response(arrival, message);
    } else {
      // Never answered, because an answer would be backscatter.
      context.counters.count(Counter.DROPPED_RESPONSE_UNKNOWN);
    }
  }

  // ---- Confirm

  private void confirm(Arrival arrival, GistMessage message) {
    NetworkLayerInfo sender = message.find(NetworkLayerInfo.class).orElseThrow();
    RoutingKey key = QueryReception.key(message).flipped();
    if (!arrival.byAssociation() && arrival.translated(sender)) {
      context.counters.count(Counter.REFUSED_LEGACY_NAT);
      return;
    }
    Optional<ResponderCookie> cookie = message.find(ResponderCookie.class);
    if (cookie.isEmpty()) {
      confirmWithoutCookie(arrival, key);
      return;
    }
    Optional<Cookies.Memory> memory =
        handshakes.cookies.verify(cookie.get(), key, sender, context.store.now());
    if (memory.isEmpty()) {
      context.counters.count(Counter.DROPPED_BAD_COOKIE);
      abortIfFirst(arrival, "a Confirm with a wrong cookie");
      return;
    }
    if (handshakes.departed.stale(
        key, memory.get().made(), handshakes.cookies, context.store.now())) {
      context.counters.count(Counter.DROPPED_BAD_COOKIE);
      abortIfFirst(arrival, "a Confirm that was used before");
      return;
    }
    if (acceptable(arrival, message, key, memory.get())) {
      install(arrival, message, key, memory.get(), sender);
    }
  }

  /** Handles a Confirm without a cookie. It can only repeat an earlier Confirm. */
  private void confirmWithoutCookie(Arrival arrival, RoutingKey key) {
    if (context.store.table.find(key) != null) {
      context.counters.count(Counter.UNEXPECTED_EVENT);
    } else {
      context.counters.count(Counter.REFUSED_CONFIRM);
      errors.refuse(arrival, GistError.NO_ROUTING_STATE);
    }
    abortIfFirst(arrival, "a Confirm without a cookie");
  }

  /** Makes the checks of sections 4.4.5, 5.5 and 5.7.1. */
  private boolean acceptable(
      Arrival arrival, GistMessage message, RoutingKey key, Cookies.Memory memory) {
    if (memory.offered() && !arrival.byAssociation()) {
      context.counters.count(Counter.REFUSED_ENCAPSULATION);
      errors.refuse(arrival, GistError.INCORRECT_ENCAPSULATION);
      return false;
    }
    Optional<StackProposal> echo = message.find(StackProposal.class);
    if (memory.offered() && echo.isEmpty()) {
      return missing(arrival, StackProposal.TYPE);
    }
    if (echo.isPresent() && !proposedByUs(echo.get(), key)) {
      context.counters.count(Counter.REFUSED_BID_DOWN);
      if (context.store.table.find(key) instanceof RespondingMachine machine) {
        machine.bidDown();
      }
      abortIfFirst(arrival, "a Confirm with another Stack-Proposal");
      return false;
    }
    if (arrival.first() && message.find(StackConfiguration.class).isEmpty()) {
      return missing(arrival, StackConfiguration.TYPE);
    }
    return true;
  }

  private boolean proposedByUs(StackProposal echo, RoutingKey key) {
    Offer offer = handshakes.associations.responseOffer(key.mri().ipVersion());
    return offer != null && offer.proposal().equals(echo);
  }

  private boolean missing(Arrival arrival, int type) {
    context.counters.count(Counter.DROPPED_MALFORMED);
    errors.refuse(arrival, GistError.MISSING_OBJECT, List.of(ErrorInfo.objectType(type)));
    abortIfFirst(arrival, "a Confirm with an object missing");
    return false;
  }

  private static void abortIfFirst(Arrival arrival, String reason) {
    if (arrival.first()) {
      arrival.association().abort(reason);
    }
  }

  private void install(
      Arrival arrival,
      GistMessage message,
      RoutingKey key,
      Cookies.Memory memory,
      NetworkLayerInfo sender) {
    Optional<InetAddress> own = context.outbox.network.addressTowards(sender.address());
    RoutingState known = context.store.table.find(key);
    if (own.isEmpty() || (known == null && !context.store.table.room(sender.address()))) {
      context.counters.count(Counter.STATE_REFUSED);
      abortIfFirst(arrival, "no room for routing state");
      return;
    }
    if (arrival.first()) {
      long hold = message.find(StackConfiguration.class).orElseThrow().holdMillis();
      handshakes.associations.established(arrival.association(), sender, hold);
    }
    if (known instanceof QueryingMachine querying && !querying.yields()) {
      querying.crossed(arrival.association(), sender, memory.interfaceIndex());
      return;
    }
    if (known instanceof RespondingMachine responding) {
      if (responding.stale(memory)) {
        context.counters.count(Counter.UNEXPECTED_EVENT);
      } else {
        responding.confirm(arrival, message, memory, own.get());
      }
      return;
    }
    RespondingMachine machine = new RespondingMachine(key, context, handshakes, sender.address());
    if (known instanceof QueryingMachine former) {
      former.replaceBy(machine);
    }
    context.counters.count(Counter.STATE_CREATED);
    handshakes.departed.remove(key);
    context.store.table.add(machine);
    machine.confirm(arrival, message, memory, own.get());
  }

  // ---- Data, by the order of section 4.3.2

  private void data(Arrival arrival, GistMessage message) {
    if (message.header().routed()) {
      unvalidated(arrival, message);
      return;
    }
    RoutingState state = context.store.table.find(QueryReception.key(message).flipped());
    if (arrival.byAssociation() && (state == null || !state.takes(arrival.association()))) {
      context.counters.count(Counter.REFUSED_MISDELIVERED);
      errors.refuse(arrival, GistError.INCORRECTLY_DELIVERED);
    } else if (state == null || state.peer() == null) {
      withoutState(arrival, message);
    } else if (!arrival.byAssociation() && !fromPeer(arrival, message, state)) {
      context.counters.count(Counter.DROPPED_DATA);
    } else if (!arrival.byAssociation() && state.secrecy()) {
      context.counters.count(Counter.REFUSED_INSECURE);
      errors.refuse(arrival, GistError.INCORRECT_ENCAPSULATION);
    } else {
      state.data(arrival, message);
    }
  }

  private void withoutState(Arrival arrival, GistMessage message) {
    if (handshakes.settings.statelessData()) {
      unvalidated(arrival, message);
    } else {
      context.counters.count(Counter.REFUSED_NO_STATE);
      errors.refuse(arrival, GistError.NO_ROUTING_STATE);
    }
  }

  /** Compares the sender of a datagram, by NLI and IP source, with the peer of the state. */
  private static boolean fromPeer(Arrival arrival, GistMessage message, RoutingState state) {
    NetworkLayerInfo sender = message.find(NetworkLayerInfo.class).orElseThrow();
    return !arrival.translated(sender) && state.peer().info().samePeer(sender);
  }

  /**
   * Returns the sender of a message, by the handshake of the association, else by the contents of
   * the datagram; or null.
   */
  private SiiHandle sender(Arrival arrival, GistMessage message) {
    NetworkLayerInfo info =
        arrival.byAssociation()
            ? arrival.association().peer()
            : message.find(NetworkLayerInfo.class).orElse(null);
    if (info == null) {
      return null;
    }
    int interfaceIndex =
        arrival.byAssociation()
            ? context.outbox.network.interfaceTowards(info.address())
            : arrival.interfaceIndex();
    return SiiHandle.of(info.peerIdentity(), info.address(), interfaceIndex);
  }

  /** Delivers Data that no routing state vouches for: Q-mode, by a handle, or by policy. */
  void unvalidated(Arrival arrival, GistMessage message) {
    context.counters.count(Counter.DELIVERED_UNVALIDATED);
    RoutingKey key = QueryReception.key(message);
    boolean explicit = message.header().explicit();
    context.applications.deliver(
        new ReceivedMessage(
            message.find(NslpData.class).orElseThrow().bytes(),
            key.nslpId(),
            key.session(),
            key.mri(),
            false,
            sender(arrival, message),
            explicit ? TransferAttributes.STATELESS : arrival.attributes(),
            arrival.peerName(),
            arrival.ttl(),
            message.find(NetworkLayerInfo.class).map(arrival::distance).orElse(0),
            message.header().hops(),
            arrival.interfaceIndex(),
            context.outbox.network.isLocal(DatagramSender.target(key.mri()))));
  }
}
