// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.netserv.gist.GistCounters;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.GistSettings;
import org.netserv.gist.NetworkNotification;
import org.netserv.gist.RoutingStatus;
import org.netserv.gist.SendRequest;
import org.netserv.gist.SignalingApplication;
import org.netserv.gist.association.Association;
import org.netserv.gist.association.Associations;
import org.netserv.gist.port.DatagramPort;
import org.netserv.gist.port.IcmpError;
import org.netserv.gist.port.InboundDatagram;
import org.netserv.gist.port.LocalNetwork;
import org.netserv.gist.port.OutboundDatagram;
import org.netserv.gist.port.Timers;
import org.netserv.gist.routing.OutstandingQueries.Querier;
import org.netserv.gist.wire.CommonHeader;
import org.netserv.gist.wire.ErrorMessages;
import org.netserv.gist.wire.GistError;
import org.netserv.gist.wire.GistMessage;
import org.netserv.gist.wire.Magic;
import org.netserv.gist.wire.MalformedMessageException;
import org.netserv.gist.wire.MessageType;
import org.netserv.gist.wire.Mri;
import org.netserv.gist.wire.SessionId;
import org.netserv.gist.wire.UnknownMri;

/**
 * Node-SM (RFC 5971 section 6.1). Routes an input to its state machine, and handles the inputs that
 * have none.
 */
public final class NodeMachine implements DatagramPort.Listener, Associations.Listener {
  private final Applications applications;
  private final Outbox outbox;
  private final Handshakes handshakes;
  private final Errors errors;
  private final GistCounters counters;
  private final Interception interception;
  private final QueryReception queries;
  private final PeerReception peers;
  private final Requests requests;

  /** Creates a node that listens from now on. */
  public NodeMachine(
      GistSettings settings,
      byte[] identity,
      DatagramPort port,
      LocalNetwork network,
      Associations associations,
      Timers timers,
      RandomGenerator random,
      GistCounters counters) {
    this.counters = counters;
    TimerWheel wheel = new TimerWheel(timers);
    StateStore store = new StateStore(new RoutingTable(settings.statesMax(), counters), wheel);
    Messages messages = new Messages(identity.clone(), new Validity(settings, store.table::size));
    RateLimiter limiter =
        new RateLimiter(port, wheel, settings.rate(), settings.rateBurst(), counters);
    counters.gauge("send-queue", limiter::queued);
    DatagramSender sender = new DatagramSender(network, limiter, settings.noRouterAlert());
    outbox = new Outbox(messages, sender, port, network);
    applications = new Applications(timers, counters);
    Cookies cookies = new Cookies(random, settings.cookieLifetime(), wheel.now());
    handshakes = new Handshakes(settings, associations, cookies, random);
    errors = new Errors(settings, network, sender, messages, wheel, counters);
    StateContext context = new StateContext(store, outbox, applications, counters);
    interception = new Interception(settings, context, errors);
    queries = new QueryReception(interception, context, handshakes);
    peers = new PeerReception(context, handshakes, errors);
    requests = new Requests(context, handshakes);
    port.listen(this);
    associations.listen(this);
  }

  // ---- the application

  public void register(SignalingApplication application) {
    applications.register(application);
  }

  public void send(SendRequest request) {
    requests.send(request);
  }

  public void lifetime(int nslpId, Mri mri, SessionId session, Duration lifetime) {
    requests.lifetime(nslpId, mri, session, lifetime);
  }

  public void invalidate(
      int nslpId, Mri mri, RoutingStatus status, byte[] payload, boolean urgent) {
    requests.invalidate(nslpId, mri, status, payload, urgent);
  }

  public void verify(int nslpId, Mri mri, SessionId session, Duration age, Duration patience) {
    requests.verify(new RoutingKey(mri, session, nslpId), age, patience);
  }

  // ---- datagrams

  @Override
  public void received(InboundDatagram datagram) {
    applications.begin();
    try {
      receive(datagram);
    } finally {
      applications.end();
    }
  }

  private void receive(InboundDatagram datagram) {
    boolean explicit = explicit(datagram);
    if ((explicit || datagram.token() != 0) && !interception.ours(datagram)) {
      return;
    }
    Optional<byte[]> message = Magic.strip(datagram.payload());
    if (message.isEmpty()) {
      counters.count(Counter.DROPPED_NO_MAGIC);
      return;
    }
    Arrival arrival = new Arrival(datagram, null, false, message.get());
    try {
      datagram(arrival, GistMessage.decode(arrival.message(), arrival.encapsulation()));
    } catch (MalformedMessageException e) {
      interception.take(datagram);
      malformed(arrival, e);
    }
  }

  private static boolean explicit(InboundDatagram datagram) {
    int at = Magic.BYTES + 6;
    return Magic.startsWith(datagram.payload())
        && datagram.payload().length > at
        && datagram.payload()[at] < 0;
  }

  private void datagram(Arrival arrival, GistMessage raw) {
    boolean explicit = raw.header().explicit();
    if (raw.header().hops() == 0) {
      interception.take(arrival.datagram());
      refuseHops(arrival);
      return;
    }
    GistMessage message = decremented(raw);
    count(message.type());
    if (!explicit) {
      peers.message(arrival, message);
    } else if (!applications.hosts(message.header().nslpId())) {
      interception.take(arrival.datagram());
      counters.count(Counter.ENDPOINT_FOUND_SENT);
      errors.refuse(arrival, GistError.ENDPOINT_FOUND);
    } else if (message.find(Mri.class).orElseThrow() instanceof UnknownMri) {
      unknownMethod(arrival, message);
    } else if (message.type() == MessageType.QUERY) {
      queries.query(arrival, message);
    } else {
      interception.take(arrival.datagram());
      peers.unvalidated(arrival, message);
    }
  }

  /**
   * Refuses a message routing method that we do not know (section 5.8.1.1). The method of a message
   * for others is not looked at.
   */
  private void unknownMethod(Arrival arrival, GistMessage message) {
    interception.take(arrival.datagram());
    counters.count(Counter.REFUSED_MRI);
    errors.refuse(
        arrival,
        GistError.VALUE_NOT_SUPPORTED,
        List.of(ErrorMessages.objectValue(4, message.find(Mri.class).orElseThrow())));
  }

  private void malformed(Arrival arrival, MalformedMessageException failure) {
    if (failure.error() == GistError.INCORRECT_ENCAPSULATION) {
      counters.count(Counter.REFUSED_ENCAPSULATION);
    }
    errors.malformed(arrival, failure);
  }

  private void refuseHops(Arrival arrival) {
    counters.count(Counter.REFUSED_HOPS);
    errors.refuse(arrival, GistError.HOP_LIMIT_EXCEEDED);
  }

  private static GistMessage decremented(GistMessage message) {
    CommonHeader h = message.header();
    return new GistMessage(
        new CommonHeader(
            h.hops() - 1,
            h.nslpId(),
            h.type(),
            h.explicit(),
            h.sourceAddress(),
            h.reply(),
            h.routed()),
        message.objects());
  }

  private void count(MessageType type) {
    switch (type) {
      case QUERY -> counters.count(Counter.QUERY_RECEIVED);
      case RESPONSE -> counters.count(Counter.RESPONSE_RECEIVED);
      case CONFIRM -> counters.count(Counter.CONFIRM_RECEIVED);
      case DATA -> counters.count(Counter.DATA_RECEIVED);
      case ERROR -> counters.count(Counter.ERROR_RECEIVED);
      case MA_HELLO -> counters.count(Counter.UNEXPECTED_EVENT); // they end in the association
    }
  }

  @Override
  public void icmp(IcmpError error) {
    Optional<Querier> whose =
        error.portUnreachable() ? handshakes.outstanding.find(error) : Optional.empty();
    counters.count(whose.isPresent() ? Counter.ICMP_ACCEPTED : Counter.ICMP_REFUSED);
    applications.begin();
    try {
      whose.ifPresent(querier -> querier.lastNode(NetworkNotification.PORT_UNREACHABLE));
    } finally {
      applications.end();
    }
  }

  @Override
  public void failed(OutboundDatagram datagram, String reason, int mtu) {
    counters.count(Counter.SEND_FAILED);
    InetAddress to = datagram.destination();
    outbox.sender.learnMtu(to, mtu);
  }

  // ---- associations

  @Override
  public void received(Association association, GistMessage raw, byte[] bytes, boolean first) {
    applications.begin();
    try {
      receive(new Arrival(null, association, first, bytes), raw);
    } finally {
      applications.end();
    }
  }

  private void receive(Arrival arrival, GistMessage raw) {
    if (raw.header().hops() == 0) {
      refuseHops(arrival);
      return;
    }
    GistMessage message = decremented(raw);
    count(message.type());
    if (message.type() == MessageType.QUERY || message.header().explicit()) {
      counters.count(Counter.REFUSED_ENCAPSULATION);
      errors.refuse(arrival, GistError.INCORRECT_ENCAPSULATION);
    } else {
      peers.message(arrival, message);
    }
  }

  @Override
  public void malformed(Association association, MalformedMessageException failure, byte[] bytes) {
    malformed(new Arrival(null, association, false, bytes), failure);
  }
}
