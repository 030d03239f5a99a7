// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.net;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.SocketAddress;
import java.util.function.Consumer;

/** Sockets of an event loop, with the options that the cache has for all of them. */
@SuppressWarnings("FutureReturnValueIgnored") // the channel's events tell the outcome
final class Sockets {
  private static final int BACKLOG = 1024;
  private static final WriteBufferWaterMark WAITING = new WriteBufferWaterMark(32_768, 65_536);

  private Sockets() {}

  /**
   * Listens.
   *
   * @param begin adds the handlers of a connection that came
   */
  static ChannelFuture listen(EventLoop loop, SocketAddress address, Consumer<Channel> begin) {
    return new ServerBootstrap()
        .group(loop)
        .channel(NioServerSocketChannel.class)
        .option(ChannelOption.SO_BACKLOG, BACKLOG)
        .option(ChannelOption.SO_REUSEADDR, true)
        .childOption(ChannelOption.TCP_NODELAY, true)
        .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WAITING)
        .childHandler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                begin.accept(channel);
              }
            })
        .bind(address);
  }

  static ChannelFuture connect(EventLoop loop, SocketAddress address, ChannelHandler handler) {
    return new Bootstrap()
        .group(loop)
        .channel(NioSocketChannel.class)
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.WRITE_BUFFER_WATER_MARK, WAITING)
        .handler(handler)
        .connect(address);
  }

  /** Connects to an origin. The handler hears it if that fails. */
  static void dial(EventLoop loop, SocketAddress origin, OriginConnection handler) {
    connect(loop, origin, handler)
        .addListener(
            connected -> {
              if (!connected.isSuccess()) {
                handler.dialFailed();
              }
            });
  }
}
