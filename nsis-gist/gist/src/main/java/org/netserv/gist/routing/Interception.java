// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.util.List;
import java.util.Optional;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.GistSettings;
import org.netserv.gist.port.InboundDatagram;
import org.netserv.gist.wire.ErrorInfo;
import org.netserv.gist.wire.ErrorMessages;
import org.netserv.gist.wire.GistError;
import org.netserv.gist.wire.GistFormatException;
import org.netserv.gist.wire.Magic;
import org.netserv.gist.wire.MessageType;
import org.netserv.gist.wire.Mri;
import org.netserv.gist.wire.OffendingMessage;
import org.netserv.gist.wire.RawHeader;
import org.netserv.gist.wire.RawMessage;

/**
 * Decides about packets in transit that may be for us, with exactly one verdict each (RFC 5971
 * sections 4.3.1 and 4.3.4). A packet in doubt goes on unchanged.
 */
final class Interception {
  private static final int IPV4_HEADERS = 20 + 4 + 8;
  private static final int IPV6_HEADERS = 40 + 8 + 8;

  private final GistSettings settings;
  private final StateContext context;
  private final Errors errors;
  private final TokenBucket bucket;

  Interception(GistSettings settings, StateContext context, Errors errors) {
    this.settings = settings;
    this.context = context;
    this.errors = errors;
    int rate = settings.interceptionRate();
    this.bucket = new TokenBucket(rate, rate, context.store.now());
  }

  /** Counts why a message is refused, and answers it with an Error. */
  void refuse(Arrival arrival, Counter why, GistError error, List<ErrorInfo> info) {
    context.counters.count(why);
    errors.refuse(arrival, error, info);
  }

  /** Lets a packet go on unchanged, but drops a packet that ends at our own address. */
  void pass(InboundDatagram datagram) {
    if (datagram.token() == 0) {
      return;
    }
    if (datagram.local()) {
      context.outbox.port.consume(datagram.token());
    } else {
      context.outbox.port.forward(datagram.token());
    }
  }

  /** Takes a packet out of the network, because it was for us. */
  void take(InboundDatagram datagram) {
    if (datagram.token() != 0) {
      context.outbox.port.consume(datagram.token());
    }
  }

  /**
   * Lets a packet go on with its decremented hop count. If the count is zero, an Error goes back
   * instead.
   */
  void forward(Arrival arrival, byte[] message, int hops) {
    InboundDatagram datagram = arrival.datagram();
    if (hops < 1) {
      context.counters.count(Counter.REFUSED_HOPS);
      take(datagram);
      errors.refuse(arrival, GistError.HOP_LIMIT_EXCEEDED);
      return;
    }
    if (datagram.token() != 0) {
      context.outbox.port.forward(datagram.token(), Magic.wrap(RawMessage.withHops(message, hops)));
    }
  }

  /**
   * Returns whether a datagram is a Q-mode message for an application of ours, or for us to refuse.
   * Any other datagram was dealt with here.
   */
  boolean ours(InboundDatagram datagram) {
    Optional<RawHeader> header =
        Magic.startsWith(datagram.payload())
            ? RawHeader.read(datagram.payload(), Magic.BYTES)
            : Optional.empty();
    boolean explicit = header.map(RawHeader::explicit).orElse(false);
    if (!explicit) {
      context.counters.count(Counter.PASSED_NOT_GIST);
      passToOthers(datagram);
      return false;
    }
    if (!bucket.take(context.store.now())) {
      context.counters.count(
          datagram.local() ? Counter.DROPPED_RATE_LIMIT : Counter.PASSED_RATE_LIMIT);
      pass(datagram);
      return false;
    }
    if (datagram.local()) {
      return true;
    }
    if (!header.get().supported()) {
      context.counters.count(Counter.PASSED_NOT_GIST);
      pass(datagram);
      return false;
    }
    if (!context.applications.hosts(header.get().nslpId())) {
      bypass(datagram, header.get());
      return false;
    }
    return true;
  }

  /**
   * Lets a packet go on that is not Q-mode. It belongs to others, or is a normal message to a node,
   * perhaps to this one.
   */
  private void passToOthers(InboundDatagram datagram) {
    if (datagram.token() != 0) {
      context.outbox.port.forward(datagram.token());
    }
  }

  /**
   * Lets IP forward a message for an application that we do not have. The hop count shows that GIST
   * has seen it.
   */
  private void bypass(InboundDatagram datagram, RawHeader header) {
    Arrival arrival = new Arrival(datagram, null, false, message(datagram));
    if (!context.applications.wantsRouterAlert(datagram.routerAlert())
        || header.totalBytes() != arrival.message().length) {
      context.counters.count(Counter.PASSED_NOT_GIST); // such a packet is for IP alone
      pass(datagram);
      return;
    }
    if (header.hops() == 0) {
      forward(arrival, arrival.message(), 0);
      return;
    }
    if (refused(arrival, header)) {
      take(datagram);
      return;
    }
    context.counters.count(Counter.FORWARDED_BYPASS);
    forward(arrival, arrival.message(), header.hops() - 1);
  }

  private boolean refused(Arrival arrival, RawHeader header) {
    InboundDatagram datagram = arrival.datagram();
    int mtu =
        context.outbox.network.mtu(context.outbox.network.interfaceTowards(datagram.destination()));
    boolean v4 = datagram.destination().getAddress().length == 4;
    int headers = v4 ? IPV4_HEADERS : IPV6_HEADERS;
    if (mtu != 0 && headers + datagram.payload().length > mtu) {
      errors.refuse(arrival, GistError.MESSAGE_TOO_LARGE, List.of(ErrorInfo.mtu(mtu)));
      return true;
    }
    if (settings.prefixMin() == 0 || !header.is(MessageType.QUERY)) {
      return false;
    }
    byte[] mri = OffendingMessage.of(arrival.message()).mri();
    try {
      if (mri != null && Wildness.tooWild(Mri.decode(mri), settings.prefixMin())) {
        refuse(
            arrival,
            Counter.REFUSED_MRI,
            GistError.MRI_TOO_WILD,
            List.of(ErrorMessages.objectValue(0, Mri.decode(mri))));
        return true;
      }
    } catch (GistFormatException e) {
      return false; // not ours to judge
    }
    return false;
  }

  /** Returns the message of a datagram that has the magic number. */
  static byte[] message(InboundDatagram datagram) {
    return Magic.strip(datagram.payload()).orElseThrow();
  }
}
