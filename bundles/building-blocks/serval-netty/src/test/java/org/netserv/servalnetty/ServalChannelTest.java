// SPDX-License-Identifier: Apache-2.0
package org.netserv.servalnetty;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.ReferenceCountUtil;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.channels.ClosedChannelException;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.endpoint.Addresses;
import org.netserv.serval.endpoint.EndpointSettings;
import org.netserv.serval.table.Origin;
import org.netserv.serval.table.Rank;
import org.netserv.serval.table.Rule;
import org.netserv.serval.table.RuleAction;
import org.netserv.serval.table.ServiceTable;
import org.netserv.serval.table.TableRefusal;
import org.netserv.serval.table.Target;

/** Netty's pipelines over streams of Serval on the loopback interface. */
@SuppressWarnings("FutureReturnValueIgnored") // a failure is seen by what comes, or does not
class ServalChannelTest {
  private static final ServalName SHOP = new ServalName(ServiceId.parse("00004001"));

  private final BlockingQueue<Object> heard = new LinkedBlockingQueue<>();
  private ServalEventLoop servers;
  private ServalEventLoop clients;
  private Channel service;

  private static InetSocketAddress local(int host) throws Exception {
    return new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) host}), 0);
  }

  @BeforeEach
  void open() throws Exception {
    servers = ServalEventLoop.open(local(41), EndpointSettings.DEFAULT);
    clients = ServalEventLoop.open(local(42), EndpointSettings.DEFAULT);
    route(Addresses.endpoint(servers.localAddress()));
  }

  /** Lets the clients find the service at an address, and no longer at the one before. */
  private void route(Endpoint address) throws Exception {
    Origin origin = new Origin(Origin.Kind.OPERATOR, "test");
    Rule rule =
        new Rule(
            ServicePrefix.of(SHOP.id()),
            RuleAction.FORWARD,
            Target.address(address),
            Rank.ZERO,
            0,
            origin,
            Rule.FOREVER);
    ServiceTable services = clients.endpoint().services();
    clients.submit(() -> services.withdraw(origin)).get();
    assertEquals(TableRefusal.OK, clients.submit(() -> services.add(rule, 0)).get());
  }

  @AfterEach
  void close() {
    clients.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
    servers.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
  }

  private void serve(ChannelInitializer<Channel> pipeline) throws InterruptedException {
    service =
        new ServerBootstrap()
            .group(servers)
            .channel(ServalServerChannel.class)
            .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
            .childHandler(pipeline)
            .bind(SHOP)
            .sync()
            .channel();
  }

  private Bootstrap client(ChannelHandler... handlers) {
    return new Bootstrap()
        .group(clients)
        .channel(ServalChannel.class)
        .handler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel channel) {
                channel.pipeline().addLast(handlers);
              }
            });
  }

  private static ChannelInitializer<Channel> each(Consumer<Channel> setUp) {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel channel) {
        setUp.accept(channel);
      }
    };
  }

  /** Keeps what comes, and the events of the channel. */
  private final class Keeper extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      heard.add(message);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
      heard.add(event);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      heard.add("inactive");
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      heard.add(cause);
    }
  }

  /** Sends back all that comes, and its end. It reads no more while its peer does not. */
  private static final class Echo extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      context.writeAndFlush(message);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
      context.channel().config().setAutoRead(context.channel().isWritable());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close(); // the client has broken off
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
      if (event instanceof ChannelInputShutdownEvent) {
        ((ServalChannel) context.channel()).shutdownOutput();
      }
    }
  }

  private Object next() throws InterruptedException {
    Object next = heard.poll(30, TimeUnit.SECONDS);
    assertTrue(next != null, "nothing is heard");
    return next;
  }

  private byte[] bytes(int count) throws InterruptedException {
    byte[] got = new byte[count];
    int at = 0;
    while (at < count) {
      Object next = next();
      if (next instanceof ByteBuf part) {
        int length = part.readableBytes();
        part.readBytes(got, at, length);
        part.release();
        at += length;
      }
    }
    return got;
  }

  private static byte[] random(int count) {
    byte[] bytes = new byte[count];
    new Random(count).nextBytes(bytes);
    return bytes;
  }

  @Test
  void nettysHttp() throws Exception {
    byte[] body = random(3_000_000);
    serve(
        each(
            channel ->
                channel
                    .pipeline()
                    .addLast(
                        new HttpServerCodec(),
                        new HttpObjectAggregator(1 << 20),
                        new SimpleChannelInboundHandler<FullHttpRequest>() {
                          @Override
                          protected void channelRead0(
                              ChannelHandlerContext context, FullHttpRequest request) {
                            FullHttpResponse answer =
                                new DefaultFullHttpResponse(
                                    HttpVersion.HTTP_1_1,
                                    HttpResponseStatus.OK,
                                    Unpooled.wrappedBuffer(body));
                            answer
                                .headers()
                                .set(HttpHeaderNames.CONTENT_LENGTH, body.length)
                                .set("x-path", request.uri());
                            context.writeAndFlush(answer);
                          }
                        })));
    Channel channel =
        client(new HttpClientCodec(), new HttpObjectAggregator(1 << 23), new Keeper())
            .connect(SHOP)
            .sync()
            .channel();
    for (int i = 0; i < 5; i++) {
      channel.writeAndFlush(
          new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/" + i));
      FullHttpResponse answer = (FullHttpResponse) next();
      byte[] got = new byte[answer.content().readableBytes()];
      answer.content().readBytes(got);
      answer.release();
      assertEquals("/" + i, answer.headers().get("x-path"));
      assertArrayEquals(body, got);
    }
    channel.close().sync();
    assertEquals("inactive", next());
  }

  @Test
  void aTransferWhileBothEndsMove() throws Exception {
    serve(each(channel -> channel.pipeline().addLast(new Echo())));
    Channel channel = client(new Keeper()).connect(SHOP).sync().channel();
    InetSocketAddress before = (InetSocketAddress) channel.remoteAddress();
    assertEquals(servers.localAddress(), before);
    byte[] sent = random(20_000_000);
    ChannelFuture written = channel.writeAndFlush(Unpooled.wrappedBuffer(sent));
    byte[] got = new byte[sent.length];
    int moves = 0;
    int at = 0;
    while (at < got.length) {
      if (next() instanceof ByteBuf part) {
        int length = part.readableBytes();
        part.readBytes(got, at, length);
        part.release();
        at += length;
      }
      if (moves < 3 && at > sent.length / 4 * (moves + 1)) {
        clients.move(local(51 + moves)).sync();
        servers.move(local(61 + moves)).sync();
        moves++;
      }
    }
    assertArrayEquals(sent, got);
    written.sync();
    assertEquals(3, moves);
    assertNotEquals(before, channel.remoteAddress());
    ((ServalChannel) channel).shutdownOutput().sync();
    assertTrue(channel.closeFuture().await(30, TimeUnit.SECONDS), "the echo ends, too");
  }

  /** A peer that does not read makes the channel unwritable, and the server stops to read. */
  @Test
  void backPressure() throws Exception {
    BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();
    serve(
        each(
            channel -> {
              channel.config().setAutoRead(false);
              channel.pipeline().addLast(new Echo());
              accepted.add(channel);
            }));
    Channel channel = client(new Keeper()).connect(SHOP).sync().channel();
    byte[] sent = random(8_000_000);
    ChannelFuture written = channel.writeAndFlush(Unpooled.wrappedBuffer(sent));
    assertFalse(written.await(500));
    assertFalse(channel.isWritable());
    assertTrue(heard.isEmpty());
    accepted.take().config().setAutoRead(true);
    assertArrayEquals(sent, bytes(sent.length));
    written.sync();
    assertTrue(channel.isWritable());
  }

  @Test
  void halfClose() throws Exception {
    serve(each(channel -> channel.pipeline().addLast(new Echo())));
    Channel channel = client(new Keeper()).connect(SHOP).sync().channel();
    channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
    assertTrue(channel.config().getOption(ChannelOption.ALLOW_HALF_CLOSURE));
    channel.writeAndFlush(Unpooled.wrappedBuffer(random(100_000)));
    ((ServalChannel) channel).shutdownOutput().sync();
    assertArrayEquals(random(100_000), bytes(100_000));
    assertEquals(ChannelInputShutdownEvent.INSTANCE, next());
    assertTrue(((ServalChannel) channel).isShutdown());
    assertTrue(channel.isOpen());
    channel.close().sync();
  }

  /** All that is there is read before the handlers hear that a read is complete. */
  @Test
  void manyBuffersAreOneRead() throws Exception {
    serve(
        each(
            channel -> {
              channel
                  .config()
                  .setRecvByteBufAllocator(
                      new FixedRecvByteBufAllocator(100).maxMessagesPerRead(12));
              channel.pipeline().addLast(new Rounds());
            }));
    Channel channel = client().connect(SHOP).sync().channel();
    channel.writeAndFlush(Unpooled.wrappedBuffer(random(1200)));
    assertEquals(12, next());
  }

  /** Keeps the numbers of buffers of each read. */
  private final class Rounds extends ChannelInboundHandlerAdapter {
    private int count;

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      ReferenceCountUtil.release(message);
      count++;
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
      if (count > 0) {
        heard.add(count);
      }
      count = 0;
    }
  }

  @Test
  void whatFails() throws Exception {
    serve(each(channel -> channel.pipeline().addLast(new Echo())));
    ServalName nobody = new ServalName(ServiceId.parse("0000dead"));
    ChannelFuture late =
        client(new Keeper())
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 100)
            .connect(nobody)
            .await();
    assertEquals(ConnectTimeoutException.class, late.cause().getClass());
    ChannelFuture wrong = client(new Keeper()).connect(local(1)).await();
    assertEquals(IllegalArgumentException.class, wrong.cause().getClass());
    Channel channel = client(new Keeper()).connect(SHOP).sync().channel();
    assertFalse(channel.writeAndFlush("text").await().isSuccess());
    heard.clear();
    servers.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
    Object ended = next();
    assertTrue("inactive".equals(ended) || ended instanceof SocketException, ended.toString());
    assertTrue(channel.closeFuture().await(30, TimeUnit.SECONDS));
    ChannelFuture after = channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[1])).await();
    assertTrue(after.cause() instanceof ClosedChannelException);
  }

  @Test
  void aCloseWithLingerZeroBreaksOff() throws Exception {
    serve(each(channel -> channel.pipeline().addLast(new Keeper())));
    Channel channel = client().connect(SHOP).sync().channel();
    channel.config().setOption(ChannelOption.SO_LINGER, 0);
    assertEquals(0, channel.config().getOption(ChannelOption.SO_LINGER));
    channel.close().sync();
    assertEquals(SocketException.class, next().getClass());
    assertEquals("inactive", next());
  }

  /** A socket that is bound to no address in particular is reached by the one that others know. */
  @Test
  void aSocketBehindAForwardedPort() throws Exception {
    servers.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
    int port;
    try (DatagramSocket free = new DatagramSocket()) {
      port = free.getLocalPort();
    }
    InetSocketAddress known = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    InetSocketAddress any = new InetSocketAddress(InetAddress.getByAddress(new byte[4]), port);
    assertThrows(
        IllegalArgumentException.class,
        () -> ServalEventLoop.open(any, any, EndpointSettings.DEFAULT));
    servers = ServalEventLoop.open(any, known, EndpointSettings.DEFAULT);
    assertEquals(known, servers.localAddress());
    route(Addresses.endpoint(known));
    serve(each(channel -> channel.pipeline().addLast(new Echo())));
    Channel channel = client(new Keeper()).connect(SHOP).sync().channel();
    channel.writeAndFlush(Unpooled.wrappedBuffer(random(100_000)));
    assertArrayEquals(random(100_000), bytes(100_000));
    assertEquals(known, channel.remoteAddress());
  }

  @Test
  void closeWithdrawsTheService() throws Exception {
    serve(each(channel -> channel.pipeline().addLast(new Echo())));
    assertEquals(SHOP, service.localAddress());
    service.close().sync();
    ChannelFuture late =
        client(new Keeper())
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 200)
            .connect(SHOP)
            .await();
    assertEquals(ConnectTimeoutException.class, late.cause().getClass());
  }
}
