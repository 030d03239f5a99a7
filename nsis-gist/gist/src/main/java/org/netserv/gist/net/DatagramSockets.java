// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.unix.IntegerUnixChannelOption;
import io.netty.channel.unix.RawUnixChannelOption;
import io.netty.channel.unix.UnixChannelOption;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes UDP sockets and sets the options of their packets. It uses Netty's native transport where
 * that loads, else the JDK's, which sets neither TTL nor router alert. Each missing option is
 * logged once.
 */
final class DatagramSockets implements AutoCloseable {
  static final int UDP_MAX = 65_507;

  private static final Logger LOG = LoggerFactory.getLogger(DatagramSockets.class);

  // Numbers of Linux: level, name.
  static final IntegerUnixChannelOption IP_TTL = new IntegerUnixChannelOption("IP_TTL", 0, 2);
  private static final IntegerUnixChannelOption IP_MTU =
      new IntegerUnixChannelOption("IP_MTU", 0, 14);
  static final RawUnixChannelOption IP_OPTIONS = new RawUnixChannelOption("IP_OPTIONS", 0, 4, 4);
  private static final IntegerUnixChannelOption IP_MTU_DISCOVER =
      new IntegerUnixChannelOption("IP_MTU_DISCOVER", 0, 10);
  private static final IntegerUnixChannelOption IPV6_MTU_DISCOVER =
      new IntegerUnixChannelOption("IPV6_MTU_DISCOVER", 41, 23);
  static final IntegerUnixChannelOption IPV6_UNICAST_HOPS =
      new IntegerUnixChannelOption("IPV6_UNICAST_HOPS", 41, 16);
  private static final IntegerUnixChannelOption IPV6_MTU =
      new IntegerUnixChannelOption("IPV6_MTU", 41, 24);
  private static final IntegerUnixChannelOption IPV6_V6ONLY =
      new IntegerUnixChannelOption("IPV6_V6ONLY", 41, 26);
  static final RawUnixChannelOption IPV6_HOPOPTS =
      new RawUnixChannelOption("IPV6_HOPOPTS", 41, 54, 8);
  private static final IntegerUnixChannelOption IPV6_TCLASS =
      new IntegerUnixChannelOption("IPV6_TCLASS", 41, 67);

  /** IP_PMTUDISC_DO: DF on all packets, and an error for one that is too long. */
  private static final int DONT_FRAGMENT = 2;

  private final boolean epoll;
  private final EventLoopGroup group;
  private final List<String> limits = new CopyOnWriteArrayList<>();

  /**
   * Starts the thread of these sockets.
   *
   * @param nativeTransport false: the JDK's sockets in any case
   */
  DatagramSockets(boolean nativeTransport, ThreadFactory threads) {
    epoll = nativeTransport && Epoll.isAvailable();
    group =
        new MultiThreadIoEventLoopGroup(
            1, threads, epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
    if (!epoll) {
      String why = nativeTransport ? String.valueOf(Epoll.unavailabilityCause()) : "not asked for";
      limit("no router alert option and no TTL of its own: no native transport (" + why + ")");
    }
  }

  /** Runs a task on the thread of the sockets. */
  void execute(Runnable task) {
    group.execute(task);
  }

  /** Returns the options that cannot be set here, in words. Callable on any thread. */
  List<String> limits() {
    return List.copyOf(limits);
  }

  /**
   * Opens a socket at an address of this host.
   *
   * @param to null: not connected
   */
  ChannelFuture open(InetSocketAddress local, InetSocketAddress to, ChannelHandler handler) {
    boolean v4 = local.getAddress().getAddress().length == 4;
    SocketProtocolFamily family = v4 ? SocketProtocolFamily.INET : SocketProtocolFamily.INET6;
    Bootstrap bootstrap =
        new Bootstrap()
            .group(group)
            .channelFactory(
                () -> epoll ? new EpollDatagramChannel(family) : new NioDatagramChannel(family))
            .handler(handler)
            .localAddress(local)
            .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(UDP_MAX));
    if (epoll) {
      bootstrap.option(UnixChannelOption.SO_REUSEPORT, true);
      bootstrap.option(v4 ? IP_MTU_DISCOVER : IPV6_MTU_DISCOVER, DONT_FRAGMENT);
      if (!v4) {
        bootstrap.option(IPV6_V6ONLY, 1);
      }
    } else {
      bootstrap.option(NioChannelOption.of(StandardSocketOptions.SO_REUSEPORT), true);
    }
    return to == null ? bootstrap.bind() : bootstrap.connect(to, local);
  }

  /** Sets the TTL or hop limit, 1 to 255, and the TOS or traffic class byte. */
  void header(Channel channel, boolean v4, int ttl, int trafficClass) {
    if (!epoll) {
      return;
    }
    set(channel, v4 ? IP_TTL : IPV6_UNICAST_HOPS, ttl, "TTL");
    if (v4) {
      set(channel, ChannelOption.IP_TOS, trafficClass, "TOS");
    } else {
      set(channel, IPV6_TCLASS, trafficClass, "traffic class");
    }
  }

  /**
   * Sets the router alert option in all packets of this socket: IPv4 {@code 94 04 vv vv} (RFC
   * 2113), IPv6 in a hop-by-hop header {@code 00 00 05 02 vv vv 01 00} (RFC 2711).
   */
  void routerAlert(Channel channel, boolean v4, int value) {
    if (!epoll) {
      return;
    }
    byte high = (byte) (value >> 8);
    byte low = (byte) value;
    if (v4) {
      byte[] option = {(byte) 0x94, 4, high, low};
      set(channel, IP_OPTIONS, ByteBuffer.wrap(option), "IPv4 router alert option");
    } else {
      byte[] header = {0, 0, 5, 2, high, low, 1, 0};
      set(
          channel,
          IPV6_HOPOPTS,
          ByteBuffer.wrap(header),
          "IPv6 router alert option, which needs CAP_NET_RAW (NetServ's nodes do without)");
    }
  }

  private <T> void set(Channel channel, ChannelOption<T> option, T value, String what) {
    try {
      channel.config().setOption(option, value);
    } catch (RuntimeException e) {
      limit("no " + what);
    }
  }

  private void limit(String text) {
    if (!limits.contains(text)) {
      limits.add(text);
      LOG.info("UDP: {}", text);
    }
  }

  /** Returns the path MTU of a connected socket, as the kernel knows it; 0 = it does not say. */
  int mtu(Channel channel, boolean v4) {
    try {
      Integer mtu = epoll ? channel.config().getOption(v4 ? IP_MTU : IPV6_MTU) : null;
      return mtu == null ? 0 : mtu;
    } catch (RuntimeException e) {
      return 0;
    }
  }

  /**
   * Returns the source address that the kernel chooses toward a destination, for a datagram without
   * a source. Only the kernel can say later whether that address can be bound.
   */
  static InetAddress sourceTowards(InetSocketAddress to) throws java.io.IOException {
    try (java.net.DatagramSocket socket = new java.net.DatagramSocket()) {
      socket.connect(to);
      return socket.getLocalAddress();
    }
  }

  @Override
  public void close() {
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
