// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.util.ArrayList;
import java.util.List;

/** The listening sockets of one stack, all at the same port. */
@SuppressWarnings("FutureReturnValueIgnored") // what comes of it the channel tells by its events
final class Listeners {
  private static final int BACKLOG = 256;

  /** A port that is free at one address may be taken at the next. */
  private static final int TRIES = 16;

  private final int port;
  private final List<Channel> channels;

  private Listeners(int port, List<Channel> channels) {
    this.port = port;
    this.channels = channels;
  }

  /**
   * Listens, and the kernel takes connections, when this returns: the port goes into a Response.
   *
   * @param addresses empty = all, of both IP versions
   * @param port 0 = one that is free
   */
  static Listeners open(
      EventLoop loop, List<InetAddress> addresses, int port, ChannelInitializer<Channel> each)
      throws IOException {
    List<ServerSocketChannel> sockets = bind(addresses, port, port == 0 ? TRIES : 1);
    int bound = ((InetSocketAddress) sockets.get(0).getLocalAddress()).getPort();
    List<Channel> channels = new ArrayList<>();
    for (ServerSocketChannel socket : sockets) {
      channels.add(
          new ServerBootstrap()
              .group(loop)
              .channelFactory(() -> new NioServerSocketChannel(socket))
              .childOption(ChannelOption.TCP_NODELAY, true)
              .childHandler(each)
              .register()
              .channel());
    }
    return new Listeners(bound, channels);
  }

  int port() {
    return port;
  }

  void close() {
    channels.forEach(Channel::close);
  }

  private static List<ServerSocketChannel> bind(List<InetAddress> addresses, int port, int tries)
      throws IOException {
    List<ServerSocketChannel> sockets = new ArrayList<>();
    try {
      if (addresses.isEmpty()) {
        sockets.add(bind(new InetSocketAddress(port)));
      }
      int same = port;
      for (InetAddress address : addresses) {
        sockets.add(bind(new InetSocketAddress(address, same)));
        same = ((InetSocketAddress) sockets.get(0).getLocalAddress()).getPort();
      }
      return sockets;
    } catch (IOException e) {
      for (ServerSocketChannel socket : sockets) {
        socket.close();
      }
      if (tries <= 1) {
        throw e;
      }
      return bind(addresses, port, tries - 1);
    }
  }

  private static ServerSocketChannel bind(InetSocketAddress address) throws IOException {
    ServerSocketChannel socket = ServerSocketChannel.open();
    try {
      // After a restart the port is still named by connections of before.
      socket.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      socket.bind(address, BACKLOG);
      return socket;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }
}
