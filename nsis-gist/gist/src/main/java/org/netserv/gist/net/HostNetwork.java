// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.netserv.gist.port.LocalNetwork;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This host's interfaces and routes. Needs no capability. To find a route, it connects a UDP
 * socket, which sends nothing, and reads the source address that the kernel chose. The interface of
 * the route is the interface that has this address. With a source address set in the route, or an
 * address that two interfaces share, another interface may be the right one.
 *
 * <p>Facts are at most two seconds old. On one thread.
 */
public final class HostNetwork implements LocalNetwork {
  private static final Logger LOG = LoggerFactory.getLogger(HostNetwork.class);
  private static final long AGE_MAX = 2000;
  private static final int ROUTES_MAX = 4096;

  /** Any port would do; packet filters see none of it. */
  private static final int PORT = 270;

  private final LongSupplier now;
  private Interfaces interfaces = Interfaces.NONE;
  private long interfacesRead;
  private boolean read;

  private final Map<InetAddress, Route> routes =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<InetAddress, Route> eldest) {
          return size() > ROUTES_MAX;
        }
      };

  /**
   * Creates the facts, without reading any yet.
   *
   * @param now milliseconds of a clock that does not step
   */
  public HostNetwork(LongSupplier now) {
    this.now = now;
  }

  /**
   * The way by which packets leave.
   *
   * @param source null: no route, or no address that can be named to others
   * @param interfaceIndex 0 = not known
   */
  private record Route(InetAddress source, int interfaceIndex, long read) {}

  @Override
  public boolean isLocal(InetAddress address) {
    return address.isLoopbackAddress() || interfaces().has(address);
  }

  @Override
  public Optional<InetAddress> addressTowards(InetAddress destination) {
    return Optional.ofNullable(route(destination).source());
  }

  @Override
  public Optional<InetAddress> addressOf(int interfaceIndex, int ipVersion) {
    return interfaces().address(interfaceIndex, ipVersion);
  }

  @Override
  public int interfaceTowards(InetAddress destination) {
    return route(destination).interfaceIndex();
  }

  @Override
  public int mtu(int interfaceIndex) {
    return interfaces().mtu(interfaceIndex);
  }

  int routesKept() {
    return routes.size();
  }

  private Route route(InetAddress destination) {
    long time = now.getAsLong();
    Route known = routes.get(destination);
    if (known == null || time - known.read() >= AGE_MAX) {
      known = ask(destination, time);
      routes.remove(destination); // the newest is the last to go
      routes.put(destination, known);
    }
    return known;
  }

  private Route ask(InetAddress destination, long time) {
    InetAddress source = sourceTowards(destination);
    if (source == null) {
      return new Route(null, 0, time);
    }
    int index = interfaces().owner(source);
    if (Interfaces.nameable(source)) {
      return new Route(source, index, time);
    }
    // The kernel would use a link-local address; another one of that interface names us as well.
    int version = destination instanceof Inet4Address ? 4 : 6;
    return new Route(interfaces().address(index, version).orElse(null), index, time);
  }

  private static InetAddress sourceTowards(InetAddress destination) {
    StandardProtocolFamily family =
        destination instanceof Inet4Address
            ? StandardProtocolFamily.INET
            : StandardProtocolFamily.INET6;
    try (DatagramChannel channel = DatagramChannel.open(family)) {
      channel.connect(new InetSocketAddress(destination, PORT));
      InetAddress source = ((InetSocketAddress) channel.getLocalAddress()).getAddress();
      return source.isAnyLocalAddress() ? null : source;
    } catch (IOException e) {
      return null; // no route
    }
  }

  private Interfaces interfaces() {
    long time = now.getAsLong();
    if (!read || time - interfacesRead >= AGE_MAX) {
      try {
        interfaces = Interfaces.read(NetworkInterface.networkInterfaces().toList());
      } catch (IOException e) {
        LOG.warn("interfaces cannot be read: {}", e.toString());
      }
      interfacesRead = time;
      read = true;
    }
    return interfaces;
  }
}
