// SPDX-License-Identifier: Apache-2.0
package org.netserv.translator.net;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.timeout.IdleStateHandler;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.netserv.servalnetty.ServalChannel;
import org.netserv.servalnetty.ServalEventLoop;
import org.netserv.servalnetty.ServalServerChannel;
import org.netserv.translator.core.Limits;

/** Bootstraps of both kinds of channels, with the options that all relayed connections have. */
final class Sockets {
  private static final int BACKLOG = 1024;
  private static final int PAGE = 8192;
  private static final int ORDER = 7; // a chunk has 1 MB

  /**
   * Buffers of one pool, because the thread of the other side releases each buffer. Netty's preset
   * pool gives such buffers back to the system, and the JVM fills each new one with zeros.
   */
  private static final ByteBufAllocator BUFFERS =
      new PooledByteBufAllocator(
          true,
          0,
          1,
          PAGE,
          ORDER,
          PooledByteBufAllocator.defaultSmallCacheSize(),
          PooledByteBufAllocator.defaultNormalCacheSize(),
          false);

  private static final WriteBufferWaterMark WAITING = new WriteBufferWaterMark(65_536, 131_072);

  private Sockets() {}

  static ServerBootstrap tcpServer(EventLoop loop, Limits limits, Supplier<ChannelHandler> first) {
    return server(
        new ServerBootstrap()
            .group(loop)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true),
        limits,
        first);
  }

  static ServerBootstrap servalServer(
      ServalEventLoop loop, Limits limits, Supplier<ChannelHandler> first) {
    return server(
        new ServerBootstrap().group(loop).channel(ServalServerChannel.class), limits, first);
  }

  private static ServerBootstrap server(
      ServerBootstrap bootstrap, Limits limits, Supplier<ChannelHandler> first) {
    return bootstrap
        .childOption(ChannelOption.AUTO_READ, false)
        .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
        .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WAITING)
        .childOption(ChannelOption.RECVBUF_ALLOCATOR, new Reads())
        .childOption(ChannelOption.ALLOCATOR, BUFFERS)
        .childHandler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                watch(channel, limits);
                channel.pipeline().addLast(first.get());
              }
            });
  }

  static Bootstrap tcpClient(EventLoop loop, Limits limits) {
    return client(
        new Bootstrap()
            .group(loop)
            .channel(NioSocketChannel.class)
            .option(ChannelOption.TCP_NODELAY, true),
        limits);
  }

  static Bootstrap servalClient(ServalEventLoop loop, Limits limits) {
    return client(new Bootstrap().group(loop).channel(ServalChannel.class), limits);
  }

  private static Bootstrap client(Bootstrap bootstrap, Limits limits) {
    return bootstrap
        .option(ChannelOption.AUTO_READ, false)
        .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
        .option(ChannelOption.WRITE_BUFFER_WATER_MARK, WAITING)
        .option(ChannelOption.RECVBUF_ALLOCATOR, new Reads())
        .option(ChannelOption.ALLOCATOR, BUFFERS)
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, limits.connect());
  }

  /** Returns the bootstrap of a UDP socket with these handlers. */
  static Bootstrap datagrams(EventLoop loop, Consumer<Channel> handlers) {
    return new Bootstrap()
        .group(loop)
        .channel(NioDatagramChannel.class)
        .handler(initializer(handlers));
  }

  /** Returns the bootstrap of a TCP port with these handlers for each connection. */
  static ServerBootstrap connections(EventLoop loop, Consumer<Channel> handlers) {
    return new ServerBootstrap()
        .group(loop)
        .channel(NioServerSocketChannel.class)
        .option(ChannelOption.SO_REUSEADDR, true)
        .childHandler(initializer(handlers));
  }

  private static ChannelInitializer<Channel> initializer(Consumer<Channel> handlers) {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel channel) {
        handlers.accept(channel);
      }
    };
  }

  /** Watches the idle time of a relay at its side of TCP, which sees the bytes of both ways. */
  static void watch(Channel channel, Limits limits) {
    if (channel instanceof SocketChannel) {
      channel.pipeline().addLast(new IdleStateHandler(0, 0, limits.idle(), TimeUnit.MILLISECONDS));
    }
  }
}
