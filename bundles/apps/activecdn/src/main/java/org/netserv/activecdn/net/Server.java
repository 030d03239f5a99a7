// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.net;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.concurrent.TimeUnit;
import org.netserv.activecdn.core.Edge;
import org.netserv.activecdn.core.EdgeSettings;
import org.netserv.activecdn.core.Time;
import org.netserv.activecdn.core.Why;
import org.netserv.packet.Tally;

/** The edge on sockets: one event loop with everything in it. */
@SuppressWarnings("FutureReturnValueIgnored") // the channel's events tell the outcome
public final class Server implements AutoCloseable {
  private static final long SWEEP_MILLIS = 500;
  private static final long REHEARSAL_PAUSE = 4; // milliseconds after each client

  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final EventLoop loop = group.next();
  private final InetSocketAddress address;
  private final Stores stores;
  private final OriginPool pool;
  private final Clients clients;
  private final Channel listener;
  private final Channel tlsListener; // null = none

  /**
   * The ports of a server.
   *
   * @param port to listen on, 0 for any
   * @param tlsPort to listen on for TLS, 0 for any
   * @param keys of TLS; null = no TLS
   */
  public record Listening(int port, int tlsPort, HttpsKeys keys) {}

  /**
   * The room for responses.
   *
   * @param memoryBytes the most bytes in the heap
   * @param diskBytes the most bytes of files; 0 = no disk, and what is there is deleted
   * @param directory of these files alone
   */
  public record Room(long memoryBytes, long diskBytes, Path directory) {}

  /**
   * The parts of a server.
   *
   * @param origin host and port, resolved
   */
  public record Plan(
      Listening listening,
      InetSocketAddress origin,
      Room room,
      EdgeSettings edge,
      ServerSettings server,
      OriginSettings pool) {}

  /**
   * Listens.
   *
   * @throws IOException if a port cannot be had, or the directory of the files
   */
  public Server(Plan plan, Tally<Why> tally) throws IOException {
    address = plan.origin();
    Time time = Time.system();
    pool = new OriginPool(loop, this::dial, plan.pool(), time, tally);
    stores = stores(plan, time, tally);
    clients =
        new Clients(
            new Edge(plan.edge(), stores.memory, pool, time, tally, new SecureRandom()),
            plan.server());
    Listening at = plan.listening();
    listener = listen(at.port(), null);
    tlsListener = at.keys() == null ? null : listen(at.tlsPort(), at.keys());
    loop.scheduleAtFixedRate(this::sweep, SWEEP_MILLIS, SWEEP_MILLIS, TimeUnit.MILLISECONDS);
  }

  private Stores stores(Plan plan, Time time, Tally<Why> tally) throws IOException {
    try {
      return new Stores(plan, loop, time, tally);
    } catch (IOException e) {
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
      throw new IOException("the directory of responses: " + e, e);
    }
  }

  private Channel listen(int port, HttpsKeys keys) throws IOException {
    ChannelFuture bound = bind(port, keys).awaitUninterruptibly();
    if (!bound.isSuccess()) {
      stores.close();
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
      throw new IOException("port " + port + ": " + bound.cause(), bound.cause());
    }
    return bound.channel();
  }

  private ChannelFuture bind(int port, HttpsKeys keys) {
    return Sockets.listen(loop, new InetSocketAddress(port), channel -> begin(channel, keys));
  }

  private void begin(Channel channel, HttpsKeys keys) {
    channel.pipeline().addLast(new Gate(clients));
    if (keys == null) {
      channel.pipeline().addLast(new ClientConnection(clients, null));
    } else {
      SslHandler tls = tls(keys);
      channel.pipeline().addLast(tls, new Negotiator(clients, tls));
    }
  }

  private SslHandler tls(HttpsKeys keys) {
    SslHandler tls = new SslHandler(keys.engine());
    tls.setHandshakeTimeoutMillis(clients.settings.head());
    return tls;
  }

  private void dial(OriginConnection handler) {
    Sockets.dial(loop, address, handler);
  }

  /**
   * Has the code compiled that a crowd needs, in a part of the next ten seconds or so. Counts it if
   * that cannot be done.
   */
  public void rehearse() {
    CacheRehearsal.Ports ports = CacheRehearsal.Ports.OF_CONTAINER;
    new CacheRehearsal(clients.edge.settings(), loop, ports, REHEARSAL_PAUSE)
        .start()
        .whenComplete(
            (bytes, failure) -> {
              if (failure != null) {
                clients.edge.count(Why.REHEARSAL_FAILED);
              }
            });
  }

  private void sweep() {
    clients.sweep();
    pool.sweep();
  }

  /** The port that the server listens on. */
  public int port() {
    return ((InetSocketAddress) listener.localAddress()).getPort();
  }

  /** The port that the server listens on for TLS, 0 = none. */
  public int tlsPort() {
    return tlsListener == null ? 0 : ((InetSocketAddress) tlsListener.localAddress()).getPort();
  }

  /** Ends all connections, and waits until the event loop has ended. */
  @Override
  public void close() {
    if (loop.isShuttingDown()) {
      return;
    }
    listener.close().awaitUninterruptibly();
    if (tlsListener != null) {
      tlsListener.close().awaitUninterruptibly();
    }
    loop.submit(
            () -> {
              clients.close();
              pool.close();
              stores.close();
            })
        .awaitUninterruptibly();
    stores.awaitClosed();
    group.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
