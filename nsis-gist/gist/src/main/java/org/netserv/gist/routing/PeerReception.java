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
  private final Parts parts;
  private final ErrorReception errors;

  PeerReception(Parts parts) {
    this.parts = parts;
    this.errors = new ErrorReception(parts);
  }

  void message(Arrival arrival, GistMessage message) {
    switch (message.type()) {
      case RESPONSE -> response(arrival, message);
      case ERROR -> errors.error(arrival, message);
      case CONFIRM, DATA -> {
        if (!parts.applications.hosts(message.header().nslpId())) {
          parts.count(Counter.REFUSED_UNKNOWN_NSLP);
          parts.errors.refuse(arrival, GistError.UNKNOWN_NSLPID);
        } else if (message.type() == MessageType.CONFIRM) {
          confirm(arrival, message);
        } else {
          data(arrival, message);
        }
      }
      case QUERY, MA_HELLO -> parts.count(Counter.UNEXPECTED_EVENT); // refused before
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
        parts.count(Counter.DROPPED_RESPONSE_UNKNOWN);
        return;
      }
    }
    if (parts.table.find(key.flipped()) instanceof QueryingMachine machine) {
      machine.response(arrival, message);
    } else {
      // Never answered, because an answer would be backscatter.
      parts.count(Counter.DROPPED_RESPONSE_UNKNOWN);
    }
  }

  // ---- Confirm

  private void confirm(Arrival arrival, GistMessage message) {
    NetworkLayerInfo sender = message.find(NetworkLayerInfo.class).orElseThrow();
    RoutingKey key = QueryReception.key(message).flipped();
    if (!arrival.byAssociation() && arrival.translated(sender)) {
      parts.count(Counter.REFUSED_LEGACY_NAT);
      return;
    }
    Optional<ResponderCookie> cookie = message.find(ResponderCookie.class);
    if (cookie.isEmpty()) {
      confirmWithoutCookie(arrival, key);
      return;
    }
    Optional<Cookies.Memory> memory =
        parts.cookies.verify(cookie.get(), key, sender, parts.wheel.now());
    if (memory.isEmpty()) {
      parts.count(Counter.DROPPED_BAD_COOKIE);
      abortIfFirst(arrival, "a Confirm with a wrong cookie");
      return;
    }
    if (parts.departed.stale(key, memory.get().made(), parts.cookies, parts.wheel.now())) {
      parts.count(Counter.DROPPED_BAD_COOKIE);
      abortIfFirst(arrival, "a Confirm that was used before");
      return;
    }
    if (acceptable(arrival, message, key, memory.get())) {
      install(arrival, message, key, memory.get(), sender);
    }
  }

  /** Handles a Confirm without a cookie. It can only repeat an earlier Confirm. */
  private void confirmWithoutCookie(Arrival arrival, RoutingKey key) {
    if (parts.table.find(key) != null) {
      parts.count(Counter.UNEXPECTED_EVENT);
    } else {
      parts.count(Counter.REFUSED_CONFIRM);
      parts.errors.refuse(arrival, GistError.NO_ROUTING_STATE);
    }
    abortIfFirst(arrival, "a Confirm without a cookie");
  }

  /** Makes the checks of sections 4.4.5, 5.5 and 5.7.1. */
  private boolean acceptable(
      Arrival arrival, GistMessage message, RoutingKey key, Cookies.Memory memory) {
    if (memory.offered() && !arrival.byAssociation()) {
      parts.count(Counter.REFUSED_ENCAPSULATION);
      parts.errors.refuse(arrival, GistError.INCORRECT_ENCAPSULATION);
      return false;
    }
    Optional<StackProposal> echo = message.find(StackProposal.class);
    if (memory.offered() && echo.isEmpty()) {
      return missing(arrival, StackProposal.TYPE);
    }
    if (echo.isPresent() && !proposedByUs(echo.get(), key)) {
      parts.count(Counter.REFUSED_BID_DOWN);
      if (parts.table.find(key) instanceof RespondingMachine machine) {
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
    Offer offer = parts.associations.responseOffer(key.mri().ipVersion());
    return offer != null && offer.proposal().equals(echo);
  }

  private boolean missing(Arrival arrival, int type) {
    parts.count(Counter.DROPPED_MALFORMED);
    parts.errors.refuse(arrival, GistError.MISSING_OBJECT, List.of(ErrorInfo.objectType(type)));
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
    Optional<InetAddress> own = parts.network.addressTowards(sender.address());
    RoutingState known = parts.table.find(key);
    if (own.isEmpty() || (known == null && !parts.table.room(sender.address()))) {
      parts.count(Counter.STATE_REFUSED);
      abortIfFirst(arrival, "no room for routing state");
      return;
    }
    if (arrival.first()) {
      long hold = message.find(StackConfiguration.class).orElseThrow().holdMillis();
      parts.associations.established(arrival.association(), sender, hold);
    }
    if (known instanceof QueryingMachine querying && !querying.yields()) {
      querying.crossed(arrival.association(), sender, memory.interfaceIndex());
      return;
    }
    if (known instanceof RespondingMachine responding) {
      if (responding.stale(memory)) {
        parts.count(Counter.UNEXPECTED_EVENT);
      } else {
        responding.confirm(arrival, message, memory, own.get());
      }
      return;
    }
    RespondingMachine machine = new RespondingMachine(parts, key);
    if (known instanceof QueryingMachine former) {
      former.replaceBy(machine);
    }
    parts.count(Counter.STATE_CREATED);
    parts.departed.remove(key);
    parts.table.add(machine, sender.address());
    machine.confirm(arrival, message, memory, own.get());
  }

  // ---- Data, by the order of section 4.3.2

  private void data(Arrival arrival, GistMessage message) {
    if (message.header().routed()) {
      unvalidated(arrival, message);
      return;
    }
    RoutingState state = parts.table.find(QueryReception.key(message).flipped());
    if (arrival.byAssociation() && (state == null || !state.takes(arrival.association()))) {
      parts.count(Counter.REFUSED_MISDELIVERED);
      parts.errors.refuse(arrival, GistError.INCORRECTLY_DELIVERED);
    } else if (state == null || state.peer() == null) {
      withoutState(arrival, message);
    } else if (!arrival.byAssociation() && !fromPeer(arrival, message, state)) {
      parts.count(Counter.DROPPED_DATA);
    } else if (!arrival.byAssociation() && state.secrecy()) {
      parts.count(Counter.REFUSED_INSECURE);
      parts.errors.refuse(arrival, GistError.INCORRECT_ENCAPSULATION);
    } else {
      state.data(arrival, message);
    }
  }

  private void withoutState(Arrival arrival, GistMessage message) {
    if (parts.settings.statelessData()) {
      unvalidated(arrival, message);
    } else {
      parts.count(Counter.REFUSED_NO_STATE);
      parts.errors.refuse(arrival, GistError.NO_ROUTING_STATE);
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
            ? parts.network.interfaceTowards(info.address())
            : arrival.interfaceIndex();
    return SiiHandle.of(info.peerIdentity(), info.address(), interfaceIndex);
  }

  /** Delivers Data that no routing state vouches for: Q-mode, by a handle, or by policy. */
  void unvalidated(Arrival arrival, GistMessage message) {
    parts.count(Counter.DELIVERED_UNVALIDATED);
    RoutingKey key = QueryReception.key(message);
    boolean explicit = message.header().explicit();
    parts.applications.deliver(
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
            parts.network.isLocal(DatagramSender.target(key.mri()))));
  }
}
