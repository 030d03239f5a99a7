// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.netserv.gist.AddressPrefix;
import org.netserv.gist.port.LocalNetwork;
import org.netserv.gist.port.OutboundDatagram;
import org.netserv.gist.routing.RateLimiter.Rank;
import org.netserv.gist.wire.GistMessage;
import org.netserv.gist.wire.Magic;
import org.netserv.gist.wire.Mri;
import org.netserv.gist.wire.PathCoupledMri;

/** D-mode and Q-mode encapsulation (RFC 5971 sections 5.3 and 5.8). */
final class DatagramSender {
  static final int PORT = 270;
  static final int TTL = 64;
  private static final int UPSTREAM_TTL = 255;
  private static final int NO_OPTION = -1;

  /** Bytes of the MTU that the headers of IP and UDP may need. */
  private static final int ALLOWANCE = 64;

  /** Assumed where the MTU of the path is not known. */
  private static final int SAFE_MTU = 576;

  private static final int LEAST_MTU = 256;
  private static final int PATHS_MAX = 1024;

  private final LocalNetwork network;
  private final RateLimiter limiter;
  private final List<AddressPrefix> noRouterAlert;
  private final Map<InetAddress, Integer> pathMtu =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<InetAddress, Integer> eldest) {
          return size() > PATHS_MAX;
        }
      };

  DatagramSender(LocalNetwork network, RateLimiter limiter, List<AddressPrefix> noRouterAlert) {
    this.network = network;
    this.limiter = limiter;
    this.noRouterAlert = noRouterAlert;
  }

  /** Returns whether a datagram to the destination has room for the message (section 4.3.3). */
  boolean fits(GistMessage message, InetAddress destination) {
    return message.encode().length <= limit(destination);
  }

  private int limit(InetAddress destination) {
    int first = network.mtu(network.interfaceTowards(destination));
    int beyond = pathMtu.getOrDefault(destination, SAFE_MTU); // the MTU here is the upper bound
    return (first == 0 ? beyond : Math.min(first, beyond)) - ALLOWANCE;
  }

  /** Notes the MTU of the path to a destination. */
  void learnMtu(InetAddress destination, int mtu) {
    if (mtu > 0) {
      pathMtu.put(destination, Math.max(mtu, LEAST_MTU));
    }
  }

  /** Returns the time in ms that a message of this rank would wait now. */
  long delay(Rank rank) {
    return limiter.delay(rank);
  }

  /** Sends to an address. Returns false when the message was dropped. */
  boolean send(Rank rank, GistMessage message, InetAddress from, InetAddress to, int port) {
    return limiter.send(
        rank,
        new OutboundDatagram(
            from, 0, to, port, TTL, 0, 0, NO_OPTION, Magic.wrap(message.encode())));
  }

  /** Returns the target of Q-mode messages of this MRI, along the flow or against it. */
  static InetAddress target(Mri mri) {
    return mri.upstream() ? mri.source() : mri.destination();
  }

  /** Returns the IP TTL of Q-mode messages. */
  static int ttl(Mri mri) {
    return mri.upstream() ? UPSTREAM_TTL : TTL;
  }

  /**
   * Sends in Q-mode.
   *
   * @param own our address when the S-flag is set, else null: the source of the flow
   * @return the datagram that was sent; null when it was dropped
   */
  OutboundDatagram explicit(Rank rank, GistMessage message, Mri mri, InetAddress own, int alert) {
    InetAddress target = target(mri);
    boolean option =
        mri.ipVersion() == 6 || noRouterAlert.stream().noneMatch(prefix -> prefix.covers(target));
    int trafficClass = 0;
    int flowLabel = 0;
    if (mri instanceof PathCoupledMri flow) {
      trafficClass = Math.max(0, flow.dsField()) << 2;
      flowLabel = Math.max(0, flow.flowLabel());
    }
    OutboundDatagram datagram =
        new OutboundDatagram(
            own != null ? own : mri.source(),
            0,
            target,
            PORT,
            ttl(mri),
            trafficClass,
            flowLabel,
            option ? alert : NO_OPTION,
            Magic.wrap(message.encode()));
    return limiter.send(rank, datagram) ? datagram : null;
  }
}
