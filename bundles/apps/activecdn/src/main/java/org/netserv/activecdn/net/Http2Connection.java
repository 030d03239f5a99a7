// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.net;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.util.ReferenceCountUtil;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.netserv.activecdn.core.Why;

/**
 * A client's connection over HTTP/2 (RFC 9113). Netty reads the frames, and bounds what a client
 * may do with them: resets, empty frames, CONTINUATION, SETTINGS and PING. Each stream is a channel
 * with an {@link Http2Stream}.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the channel's events tell the outcome
final class Http2Connection extends ChannelInboundHandlerAdapter implements Swept {
  /** Streams of a connection at once. */
  static final int STREAMS = 100;

  private static final long LINGER = 2_000;

  private final Clients clients;
  private final Set<Http2Stream> streams = new LinkedHashSet<>();
  private ChannelHandlerContext context;
  private long idleSince;

  private Http2Connection(Clients clients) {
    this.clients = clients;
  }

  /** Adds the handlers of HTTP/2 to a connection whose client speaks it. */
  static void install(ChannelPipeline pipeline, Clients clients) {
    Http2Connection connection = new Http2Connection(clients);
    Http2Settings settings =
        new Http2Settings()
            .maxConcurrentStreams(STREAMS)
            .maxHeaderListSize(clients.edge.settings().limits().bytes());
    pipeline.addLast(
        Http2FrameCodecBuilder.forServer()
            .initialSettings(settings)
            .gracefulShutdownTimeoutMillis(LINGER)
            .build(),
        new Http2MultiplexHandler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel stream) {
                stream.pipeline().addLast(new Http2Stream(clients, connection));
              }
            }),
        connection);
  }

  @Override
  public void handlerAdded(ChannelHandlerContext added) {
    context = added;
    idleSince = clients.edge.time().ticks();
    clients.add(this);
  }

  /** Returns the client's address in text. */
  String address() {
    return Gate.address(context.channel());
  }

  void add(Http2Stream stream) {
    streams.add(stream);
  }

  void remove(Http2Stream stream) {
    streams.remove(stream);
    idleSince = clients.edge.time().ticks();
  }

  /** Takes frames of the connection as a whole, about which nothing is left to do. */
  @Override
  public void channelRead(ChannelHandlerContext from, Object frame) {
    ReferenceCountUtil.release(frame);
  }

  @Override
  public void channelInactive(ChannelHandlerContext gone) {
    clients.remove(this);
  }

  /** Closes, unless the codec does so itself and tells the client why. */
  @Override
  public void exceptionCaught(ChannelHandlerContext at, Throwable cause) {
    if (!(cause instanceof Http2Exception)) {
      close();
    }
  }

  @Override
  public void sweep(long now) {
    for (Http2Stream stream : List.copyOf(streams)) {
      stream.sweep(now);
    }
    if (streams.isEmpty() && now - idleSince > clients.settings.idle()) {
      clients.edge.count(Why.IDLE_CLOSED);
      close();
    }
  }

  /** Tells the client that no more streams are served, and closes the connection. */
  @Override
  public void close() {
    context.close();
  }
}
