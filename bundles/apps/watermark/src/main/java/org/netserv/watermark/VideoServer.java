// SPDX-License-Identifier: Apache-2.0
package org.netserv.watermark;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.timeout.IdleStateHandler;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/** The HTTP server of the videos, on one event loop. */
@SuppressWarnings("FutureReturnValueIgnored") // nobody waits for these ends
final class VideoServer implements AutoCloseable {
  private static final int LINE = 4096; // bytes of a request line
  private static final int HEAD = 8192;

  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final Videos videos;
  private final Counts tally;
  private final Connections connections;
  private final int idleSeconds;
  private final Channel listener;

  /**
   * Listens.
   *
   * @param connections most at once
   * @param idleSeconds after which a connection without progress is closed
   * @throws IOException if the port cannot be had
   */
  VideoServer(int port, int connections, int idleSeconds, Videos videos, Counts tally)
      throws IOException {
    this.videos = videos;
    this.tally = tally;
    this.connections = new Connections(connections);
    this.idleSeconds = idleSeconds;
    ChannelFuture bound = bind(port).awaitUninterruptibly();
    if (!bound.isSuccess()) {
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
      throw new IOException("port " + port + ": " + bound.cause(), bound.cause());
    }
    listener = bound.channel();
  }

  private ChannelFuture bind(int port) {
    return new ServerBootstrap()
        .group(group)
        .channel(NioServerSocketChannel.class)
        .option(ChannelOption.SO_REUSEADDR, true)
        .childHandler(
            new ChannelInitializer<SocketChannel>() {
              @Override
              protected void initChannel(SocketChannel channel) {
                accept(channel);
              }
            })
        .bind(port);
  }

  private void accept(SocketChannel channel) {
    if (!connections.take(channel)) {
      tally.count(Why.CONNECTIONS_FULL);
      channel.close();
      return;
    }
    channel
        .pipeline()
        .addLast(new IdleStateHandler(0, 0, idleSeconds))
        .addLast(new HttpServerCodec(LINE, HEAD, HEAD))
        .addLast(new VideoRequest(videos, tally));
  }

  int port() {
    return ((InetSocketAddress) listener.localAddress()).getPort();
  }

  @Override
  public void close() {
    listener.close().awaitUninterruptibly();
    group.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  /** Counts open connections. On the event loop. */
  private static final class Connections {
    private final int most;
    private int open;

    Connections(int most) {
      this.most = most;
    }

    boolean take(Channel channel) {
      if (open >= most) {
        return false;
      }
      open++;
      channel.closeFuture().addListener(closed -> open--);
      return true;
    }
  }
}
