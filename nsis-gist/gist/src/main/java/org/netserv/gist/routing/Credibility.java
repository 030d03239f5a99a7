// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import org.netserv.gist.GistCounters;
import org.netserv.gist.GistCounters.Counter;
import org.netserv.gist.GistSettings;
import org.netserv.gist.port.InboundDatagram;
import org.netserv.gist.port.LocalNetwork;
import org.netserv.gist.wire.ErrorInfo;
import org.netserv.gist.wire.ErrorMessages;
import org.netserv.gist.wire.GistError;
import org.netserv.gist.wire.GistFormatException;
import org.netserv.gist.wire.GistMessage;
import org.netserv.gist.wire.MessageType;
import org.netserv.gist.wire.Mri;
import org.netserv.gist.wire.NatTraversal;
import org.netserv.gist.wire.NetworkLayerInfo;
import org.netserv.gist.wire.OffendingMessage;
import org.netserv.gist.wire.RawHeader;
import org.netserv.gist.wire.StackConfiguration;

/** Checks whether a Query can be what it says, and refuses it with an Error when it cannot. */
final class Credibility {
  private static final int IPV4_HEADERS = 20 + 4 + 8;
  private static final int IPV6_HEADERS = 40 + 8 + 8;

  private final GistSettings settings;
  private final LocalNetwork network;
  private final Errors errors;
  private final GistCounters counters;

  Credibility(GistSettings settings, LocalNetwork network, Errors errors, GistCounters counters) {
    this.settings = settings;
    this.network = network;
    this.errors = errors;
    this.counters = counters;
  }

  /** Makes the checks of sections 5.8.1.2 and 7.2.1 for a Query to us; false: it was refused. */
  boolean accepts(Arrival arrival, GistMessage query, NetworkLayerInfo sender) {
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
    if (settings.strictIngress() && !reachedBy(mri.source(), datagram.interfaceIndex())) {
      return refuseMri(arrival, GistError.INGRESS_FILTER_FAILURE, mri);
    }
    if (!datagram.local() && Wildness.tooWild(mri, settings.prefixMin())) {
      return refuseMri(arrival, GistError.MRI_TOO_WILD, mri);
    }
    return true;
  }

  /** An upstream Query is believed only from the other end of a link (section 5.8.1.3). */
  private boolean nearby(Arrival arrival) {
    if (arrival.ttl() == 0 || arrival.ttl() >= 254) {
      return true;
    }
    counters.count(Counter.REFUSED_TTL);
    errors.refuse(arrival, GistError.INVALID_TTL);
    return false;
  }

  private boolean reachedBy(InetAddress source, int interfaceIndex) {
    return interfaceIndex == 0 || network.interfaceTowards(source) == interfaceIndex;
  }

  private boolean refuseMri(Arrival arrival, GistError error, Mri mri) {
    counters.count(Counter.REFUSED_MRI);
    errors.refuse(arrival, error, List.of(ErrorMessages.objectValue(0, mri)));
    return false;
  }

  private boolean untranslated(Arrival arrival, int type, NatTraversal nat) {
    counters.count(nat == null ? Counter.REFUSED_LEGACY_NAT : Counter.REFUSED_NAT_TRAVERSAL);
    errors.refuse(arrival, GistError.UNTRANSLATED_OBJECT, List.of(ErrorInfo.objectType(type)));
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

  /** Makes the checks for a message that another node is to take; true: it was refused. */
  boolean refusesTransit(Arrival arrival, RawHeader header) {
    InboundDatagram datagram = arrival.datagram();
    int mtu = network.mtu(network.interfaceTowards(datagram.destination()));
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
        return !refuseMri(arrival, GistError.MRI_TOO_WILD, Mri.decode(mri));
      }
    } catch (GistFormatException e) {
      return false; // not ours to judge
    }
    return false;
  }
}
