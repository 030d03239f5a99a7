// SPDX-License-Identifier: Apache-2.0
package org.netserv.translator.net;

import io.netty.bootstrap.AbstractBootstrap;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.netserv.packet.Tally;
import org.netserv.serval.ServiceId;
import org.netserv.serval.endpoint.Addresses;
import org.netserv.serval.endpoint.EndpointSettings;
import org.netserv.serval.endpoint.Router;
import org.netserv.serval.host.HostLimits;
import org.netserv.serval.stream.StreamSettings;
import org.netserv.servalnetty.ServalEventLoop;
import org.netserv.servalnetty.ServalName;
import org.netserv.translator.core.Admission;
import org.netserv.translator.core.Names;
import org.netserv.translator.core.Outcome;
import org.netserv.translator.core.Plan;

/**
 * A translator on its sockets. Calls come from one thread at a time. A change of the plan keeps the
 * connections that are open, unless the end of Serval is another one.
 */
public final class Server implements AutoCloseable {
  /** Flows, also the closed ones that wait for a minute. */
  private static final int TRIES = 50;

  private static final long TRY_MS = 10;
  private static final int FLOWS = 1 << 17;

  private static final int REQUESTS = 256;

  /** Bytes of payload of a segment of Serval. */
  static final int MSS = 1400;

  /** Milliseconds in which the last bytes of closed streams may still be acknowledged. */
  private static final long LINGER = 500;

  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final EventLoop tcp = group.next();
  private final Relays relays;
  private final Admission asking = new Admission();
  private final List<Channel> listeners = new ArrayList<>();
  private ServalEventLoop serval;
  private volatile Plan plan; // the loops read it

  /**
   * Listens and registers.
   *
   * @throws IOException if a port cannot be had
   */
  public Server(Plan plan, Tally<Outcome> tally) throws IOException {
    relays = new Relays(tally);
    this.plan = plan;
    try {
      open();
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  private void open() throws IOException {
    if (serval == null) {
      Plan.Host host = plan.host();
      serval = ServalEventLoop.open(host.bind(), host.address(), settings());
    }
    Bootstrap services = Sockets.servalClient(serval, plan.limits());
    ServerBootstrap ports =
        Sockets.tcpServer(
            tcp, plan.limits(), () -> dialer(this::service, services, Outcome.TO_SERVAL));
    for (int port : plan.ports()) {
      listen(ports, new InetSocketAddress(port));
    }
    if (plan.names().port() != 0) {
      answer(plan.names());
    }
    for (Map.Entry<ServiceId, InetSocketAddress> entry : plan.fromServal().entrySet()) {
      offer(entry.getKey(), entry.getValue());
    }
  }

  private void answer(Names names) throws IOException {
    InetSocketAddress port = new InetSocketAddress(names.port());
    listen(
        Sockets.datagrams(tcp, channel -> Answerer.into(channel.pipeline(), names, relays)), port);
    if (names.tcp()) {
      listen(
          Sockets.connections(
              tcp, channel -> Answerer.overTcp(channel.pipeline(), names, relays, asking)),
          port);
    }
  }

  private EndpointSettings settings() {
    Plan.Host host = plan.host();
    int buffer = plan.limits().buffer();
    EndpointSettings preset = EndpointSettings.DEFAULT;
    return new EndpointSettings(
        List.of(new Router(host.routerId(), Addresses.endpoint(host.router()))),
        preset.longest(),
        preset.abilities(),
        new HostLimits(FLOWS, REQUESTS),
        preset.rules(),
        new StreamSettings(MSS, buffer, buffer));
  }

  private Dialer dialer(Dialer.Directory directory, Bootstrap other, Outcome opened) {
    return new Dialer(relays, plan.limits(), directory, other, opened);
  }

  private SocketAddress service(Channel accepted) {
    ServiceId id = plan.service((InetSocketAddress) accepted.localAddress());
    return id == null ? null : new ServalName(id);
  }

  private void offer(ServiceId id, InetSocketAddress server) throws IOException {
    Bootstrap servers = Sockets.tcpClient(tcp, plan.limits());
    ServerBootstrap service =
        Sockets.servalServer(
            serval, plan.limits(), () -> dialer(stream -> server, servers, Outcome.FROM_SERVAL));
    listen(service, new ServalName(id));
  }

  /**
   * Listens at an address. A port that this server has left just now is taken until the loop
   * selects once more, so it is tried again for half a second.
   */
  private void listen(AbstractBootstrap<?, ?> bootstrap, SocketAddress address) throws IOException {
    ChannelFuture bound = bootstrap.bind(address).awaitUninterruptibly();
    for (int tries = 1; tries < TRIES && bound.cause() instanceof BindException; tries++) {
      tcp.schedule(() -> {}, TRY_MS, TimeUnit.MILLISECONDS).awaitUninterruptibly();
      bound = bootstrap.bind(address).awaitUninterruptibly();
    }
    if (!bound.isSuccess()) {
      throw new IOException(address + ": " + bound.cause(), bound.cause());
    }
    listeners.add(bound.channel());
  }

  /**
   * Goes on with another plan.
   *
   * @throws IOException if a port cannot be had; then the server is closed
   */
  public void change(Plan next) throws IOException {
    stopListening();
    boolean same =
        next.host().equals(plan.host()) && next.limits().buffer() == plan.limits().buffer();
    if (!same) {
      closeServal();
    }
    plan = next;
    try {
      open();
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  private void stopListening() {
    listeners.forEach(channel -> channel.close().awaitUninterruptibly());
    listeners.clear();
  }

  /** Ends the end of Serval, and with it all relays. */
  private void closeServal() {
    if (serval == null) {
      return;
    }
    relays.drain(plan.limits().drain());
    settle(); // the state of each relay
    settle(); // both its channels
    long linger = Math.min(LINGER, plan.limits().drain());
    serval.shutdownGracefully(linger, 2 * linger, TimeUnit.MILLISECONDS).awaitUninterruptibly();
    serval = null;
  }

  /** Waits until both loops have done what they were told until now. */
  private void settle() {
    tcp.submit(() -> {}).awaitUninterruptibly();
    serval.submit(() -> {}).awaitUninterruptibly();
  }

  /** Returns the number of relays. */
  public int size() {
    return relays.size();
  }

  /** Takes no more connections, and waits for the open ones as long as the limits say. */
  @Override
  public void close() {
    stopListening();
    closeServal();
    group.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
