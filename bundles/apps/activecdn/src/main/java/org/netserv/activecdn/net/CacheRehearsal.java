// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.netserv.activecdn.core.Edge;
import org.netserv.activecdn.core.EdgeSettings;
import org.netserv.activecdn.core.MemoryStore;
import org.netserv.activecdn.core.SignedUrls;
import org.netserv.activecdn.core.Time;
import org.netserv.activecdn.core.Why;
import org.netserv.packet.Tally;

/**
 * Plays requests against a cache of its own, over the loopback of the container. A crowd that comes
 * some seconds after the start then finds the code compiled. Nothing it stores or counts is seen
 * outside.
 *
 * <pre>
 *   client --- loopback ---> cache --- loopback ---> origin
 *   |        one event loop has all three ends           |
 * </pre>
 *
 * <p>Sockets and not channels in memory: code compiled for one kind of channel is thrown away when
 * the first of another kind comes. After each client the loop pauses, for requests of others.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the channel's events tell the outcome
final class CacheRehearsal {
  /** Clients that come, one after another. */
  static final int CLIENTS = 2_500;

  /** Clients of an object. The first two come at once, and wait for the origin. */
  static final int SHARERS = 250;

  /** Bytes of an object. */
  static final int OBJECT = 98_304;

  private static final long STORE = 1 << 19; // bytes, so that some objects have to go
  private static final int CONNECTIONS = 4;
  private static final int MILLIS = 5_000; // nothing here takes so long
  private static final byte[] CONTENT = new byte[OBJECT];
  private static final byte[] HEAD =
      latin(
          "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nETag: \"1\"\r\nContent-Length: "
              + OBJECT
              + "\r\n\r\n");

  private final EventLoop loop;
  private final Ports ports;
  private final long pause; // milliseconds
  private final Tally<Why> tally = new Tally<>(Why.class);
  private final OriginPool pool;
  private final Clients clients;
  private final CompletableFuture<Long> done = new CompletableFuture<>();
  private Channel origin;
  private Channel cache;
  private int client; // number of the next
  private int present; // clients that are not served yet
  private long received; // bytes

  /**
   * Ports of the loopback.
   *
   * @param origin to which the cache connects; 0 = any
   * @param cache to which the clients connect; 0 = any
   */
  record Ports(int origin, int cache) {
    /** The ports by which a container may always connect to itself. */
    static final Ports OF_CONTAINER = new Ports(65_534, 65_535);

    static final Ports ANY = new Ports(0, 0);

    private static SocketAddress address(int port) {
      return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }
  }

  /**
   * Makes the cache.
   *
   * @param like the choices of the real cache; its hosts, signatures, orders and slices are left
   *     out
   * @param pause milliseconds after a client
   */
  CacheRehearsal(EdgeSettings like, EventLoop loop, Ports ports, long pause) {
    this.loop = loop;
    this.ports = ports;
    this.pause = pause;
    Time time = Time.system();
    OriginSettings toOrigin =
        new OriginSettings(
            like.limits(), MILLIS, MILLIS, MILLIS, MILLIS, CONNECTIONS, 0, CONNECTIONS);
    pool = new OriginPool(loop, this::dial, toOrigin, time, tally);
    EdgeSettings settings =
        new EdgeSettings(
            like.cache(),
            like.limits(),
            like.name(),
            like.via(),
            Set.of(),
            OBJECT,
            null,
            SignedUrls.NONE,
            new EdgeSettings.Orders("/orders", "", 0));
    Edge edge = new Edge(settings, new MemoryStore(STORE, tally), pool, time, tally, new Random(1));
    clients = new Clients(edge, new ServerSettings(MILLIS, MILLIS, MILLIS, 4, 4, List.of()));
  }

  /**
   * Begins. After an end of the event loop nothing more happens.
   *
   * @return the bytes that the clients have received, when the last has left; fails if the loopback
   *     cannot be had
   */
  CompletableFuture<Long> start() {
    ChannelFuture asOrigin =
        Sockets.listen(
            loop,
            Ports.address(ports.origin()),
            channel -> channel.pipeline().addLast(new Answers()));
    ChannelFuture asCache =
        Sockets.listen(
            loop,
            Ports.address(ports.cache()),
            channel ->
                channel.pipeline().addLast(new Gate(clients), new ClientConnection(clients, null)));
    origin = asOrigin.channel();
    cache = asCache.channel();
    asOrigin.addListener(
        first -> asCache.addListener(second -> begin(first.isSuccess() ? second : first)));
    return done;
  }

  private void begin(Future<?> bound) {
    if (bound.isSuccess()) {
      next();
    } else {
      end(bound.cause());
    }
  }

  private void dial(OriginConnection handler) {
    Sockets.dial(loop, origin.localAddress(), handler);
  }

  private void next() {
    if (client == CLIENTS) {
      end(null);
      return;
    }
    int coming = client % SHARERS == 0 ? 2 : 1;
    for (; coming > 0; coming--) {
      present++;
      Sockets.connect(loop, cache.localAddress(), new Visitor(client))
          .addListener(
              connected -> {
                if (!connected.isSuccess()) {
                  end(connected.cause());
                }
              });
      client++;
    }
  }

  private void left() {
    present--;
    if (present == 0 && !loop.isShuttingDown()) {
      loop.schedule(this::next, pause, TimeUnit.MILLISECONDS);
    }
  }

  /**
   * Ends.
   *
   * @param cause null = all clients were served
   */
  private void end(Throwable cause) {
    origin.close();
    cache.close();
    clients.close();
    pool.close();
    if (cause == null) {
      System.gc(); // now, else what the rehearsal leaves is collected in the middle of a crowd
      done.complete(received);
    } else {
      done.completeExceptionally(cause);
    }
  }

  private static byte[] latin(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** Counts of this cache alone. */
  Tally<Why> tally() {
    return tally;
  }

  /** Connections that are open at the cache, or were made by it. */
  int open() {
    return clients.count() + pool.connections();
  }

  /** A client: asks once, or twice by one connection. */
  private final class Visitor extends ChannelInboundHandlerAdapter {
    private final int object;
    private boolean again;
    private long bytes;

    Visitor(int number) {
      object = number / SHARERS;
      again = number % 2 == 0;
    }

    private void ask(ChannelHandlerContext by) {
      String more = again ? "" : "Connection: close\r\n";
      String head = "GET /" + object + " HTTP/1.1\r\nHost: rehearsal\r\n" + more + "\r\n";
      by.writeAndFlush(Unpooled.wrappedBuffer(latin(head)));
    }

    @Override
    public void channelActive(ChannelHandlerContext active) {
      ask(active);
    }

    @Override
    public void channelRead(ChannelHandlerContext from, Object message) {
      bytes += ((ByteBuf) message).readableBytes();
      ReferenceCountUtil.release(message);
      if (again && bytes > OBJECT) {
        again = false;
        ask(from);
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext gone) {
      received += bytes;
      left();
    }
  }

  /** The origin. One read has a whole request, because the cache writes it at once. */
  private static final class Answers extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext from, Object message) {
      ReferenceCountUtil.release(message);
      from.write(Unpooled.wrappedBuffer(HEAD));
      from.writeAndFlush(Unpooled.wrappedBuffer(CONTENT));
    }
  }
}
