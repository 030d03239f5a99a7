// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact.fetch;

import static org.netserv.artifact.fetch.FetchException.Reason.CONNECT;
import static org.netserv.artifact.fetch.FetchException.Reason.TIMEOUT;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.timeout.ReadTimeoutHandler;
import java.io.Closeable;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;

/** One request over one connection to one address; the address is never looked up here. */
@SuppressWarnings("FutureReturnValueIgnored") // Netty tells of failures through the pipeline
final class HttpConnector implements Closeable {
  private static final String AGENT = "netserv";
  private static final int WARM_UPS = 100;
  private static final String WARM_UP = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nwarm";

  private final FetchRules rules;
  private final TrustManagerFactory authorities;
  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private SslContext tls;

  HttpConnector(FetchRules rules, TrustManagerFactory authorities) {
    this.rules = rules;
    this.authorities = authorities;
  }

  Answer exchange(
      Target target, InetSocketAddress address, Optional<byte[]> post, Deadline deadline)
      throws FetchException {
    CompletableFuture<Answer> result = new CompletableFuture<>();
    Channel channel = register(target, result);
    try {
      channel.closeFuture().addListener(closed -> result.completeExceptionally(notConnected(null)));
      channel
          .connect(address)
          .addListener(
              connected -> {
                if (connected.isSuccess()) {
                  channel.writeAndFlush(request(target, post));
                } else {
                  result.completeExceptionally(notConnected(connected.cause()));
                }
              });
      return deadline.await(result);
    } catch (TimeoutException e) {
      throw new FetchException(TIMEOUT, "no whole answer within " + rules.totalMillis() + " ms", e);
    } catch (ExecutionException e) {
      throw AnswerReader.named(e.getCause());
    } finally {
      channel.close();
    }
  }

  private static FetchException notConnected(Throwable cause) {
    boolean late = cause instanceof ConnectTimeoutException;
    return late
        ? new FetchException(TIMEOUT, "the server did not accept a connection in time", cause)
        : new FetchException(CONNECT, "the server cannot be connected to", cause);
  }

  private Channel register(Target target, CompletableFuture<Answer> result) throws FetchException {
    ChannelInitializer<SocketChannel> pipeline =
        new ChannelInitializer<>() {
          @Override
          protected void initChannel(SocketChannel channel) throws SSLException {
            channel
                .pipeline()
                .addLast(new ReadTimeoutHandler(rules.idleMillis(), TimeUnit.MILLISECONDS));
            if (target.tls()) {
              channel.pipeline().addLast(tlsHandler(channel, target));
            }
            channel.pipeline().addLast(new HttpClientCodec(new HttpDecoderConfig(), false, false));
            channel.pipeline().addLast(new AnswerReader(rules.maxBytes(), result));
          }
        };
    Bootstrap bootstrap =
        new Bootstrap()
            .group(group)
            .channel(NioSocketChannel.class)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, rules.connectMillis())
            .handler(pipeline);
    try {
      return bootstrap.register().sync().channel();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FetchException(TIMEOUT, "interrupted", e);
    }
  }

  /**
   * Makes the TLS handler. The name goes into SNI, and the certificate must be for the name,
   * whatever the address is. The context is made at its first use, on the one thread of the group,
   * because reading the platform's authorities takes longer than most requests.
   */
  private SslHandler tlsHandler(SocketChannel channel, Target target) throws SSLException {
    if (tls == null) {
      tls = tls(authorities);
    }
    SslHandler handler = tls.newHandler(channel.alloc(), target.host(), target.port());
    handler.setHandshakeTimeoutMillis(rules.connectMillis());
    return handler;
  }

  private static SslContext tls(TrustManagerFactory authorities) throws SSLException {
    return SslContextBuilder.forClient()
        .sslProvider(SslProvider.JDK)
        .trustManager(authorities)
        .protocols("TLSv1.3", "TLSv1.2")
        .endpointIdentificationAlgorithm("HTTPS")
        .build();
  }

  /**
   * Reads an answer from memory, and makes a context for TLS.
   *
   * @return the context, by which the JDK keeps the authorities
   */
  static Object warmUp() throws SSLException {
    for (int i = 0; i < WARM_UPS; i++) {
      EmbeddedChannel channel =
          new EmbeddedChannel(
              new HttpClientCodec(new HttpDecoderConfig(), false, false),
              new AnswerReader(WARM_UP.length(), new CompletableFuture<>()));
      channel.writeOutbound(request(new Target(false, "localhost", 80, "/"), Optional.empty()));
      channel.writeInbound(Unpooled.copiedBuffer(WARM_UP, StandardCharsets.US_ASCII));
      channel.finishAndReleaseAll();
    }
    return tls(null);
  }

  private static FullHttpRequest request(Target target, Optional<byte[]> post) {
    FullHttpRequest request =
        new DefaultFullHttpRequest(
            HttpVersion.HTTP_1_1,
            post.isPresent() ? HttpMethod.POST : HttpMethod.GET,
            target.path(),
            post.map(Unpooled::wrappedBuffer).orElse(Unpooled.EMPTY_BUFFER));
    request.headers().set(HttpHeaderNames.HOST, target.authority());
    request.headers().set(HttpHeaderNames.USER_AGENT, AGENT);
    request.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    request.headers().set(HttpHeaderNames.ACCEPT_ENCODING, HttpHeaderValues.IDENTITY);
    if (post.isPresent()) {
      request.headers().set(HttpHeaderNames.CONTENT_TYPE, "text/xml; charset=utf-8");
      request.headers().set(HttpHeaderNames.CONTENT_LENGTH, post.get().length);
    }
    return request;
  }

  @Override
  public void close() {
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
  }
}
