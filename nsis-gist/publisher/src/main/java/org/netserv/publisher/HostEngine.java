// SPDX-License-Identifier: Apache-2.0
package org.netserv.publisher;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.netserv.gist.AddressPrefix;
import org.netserv.gist.GistCounters;
import org.netserv.gist.GistService;
import org.netserv.gist.GistSettings;
import org.netserv.gist.association.AssociationCounters;
import org.netserv.gist.association.AssociationTable;
import org.netserv.gist.net.AuthorisedPeers;
import org.netserv.gist.net.EventLoopTimers;
import org.netserv.gist.net.HostNetwork;
import org.netserv.gist.net.LinkSettings;
import org.netserv.gist.net.NettyLinks;
import org.netserv.gist.net.NodeCertificate;
import org.netserv.gist.net.PeerEntry;
import org.netserv.gist.net.SocketPort;
import org.netserv.gist.node.GistNode;
import org.netserv.gist.port.LocalNetwork;
import org.netserv.gist.port.Timers;

/** GIST of an initiator on this host. It connects to nodes, and no node connects to it. */
final class HostEngine implements Engine {
  private static final int PEER_IDENTITY_BYTES = 16;

  /**
   * Name in the certificate that TLS asks a client for. Each start makes a new certificate, and it
   * identifies nobody.
   */
  private static final String CERTIFICATE_NAME = "publisher.invalid";

  private final EventLoopGroup group;
  private final EventLoop loop;
  private final SocketPort port;
  private final NettyLinks links;
  private final Timers timers;
  private final LocalNetwork network;
  private final GistService gist;

  private HostEngine(boolean routerAlert, SecureRandom random) {
    group = new MultiThreadIoEventLoopGroup(1, HostEngine::thread, NioIoHandler.newFactory());
    loop = group.next();
    port = new SocketPort(loop);
    timers = new EventLoopTimers(loop);
    network = new HostNetwork(timers::now);
    AssociationCounters counters = new AssociationCounters();
    // TLS only hides the traffic. The signatures of the entries identify the nodes, end to end.
    AuthorisedPeers peers = new AuthorisedPeers(List.of(PeerEntry.parse("allow any")), List.of());
    NodeCertificate certificate = NodeCertificate.generate(CERTIFICATE_NAME, random);
    LinkSettings connecting = LinkSettings.connectOnly(true);
    links = new NettyLinks(loop, loop, connecting, certificate, peers, counters);
    GistSettings settings = settings(routerAlert);
    byte[] identity = new byte[PEER_IDENTITY_BYTES];
    random.nextBytes(identity);
    gist =
        loop.submit(
                () -> {
                  AssociationTable associations =
                      new AssociationTable(settings, links, timers, random, counters);
                  return new GistNode(
                      settings,
                      identity,
                      port,
                      network,
                      associations,
                      timers,
                      random,
                      new GistCounters());
                })
            .syncUninterruptibly()
            .getNow();
  }

  static Engine start(boolean routerAlert, SecureRandom random) {
    return new HostEngine(routerAlert, random);
  }

  private static Thread thread(Runnable task) {
    Thread thread = new Thread(task, "netserv-publisher");
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Returns the settings of GIST. Every Query has S=1, because the source address is ours in any
   * case and S=1 reveals a NAT on the way. The longest pause between Queries is two seconds,
   * because a publisher waits for the answer.
   */
  private static GistSettings settings(boolean routerAlert) {
    GistSettings d = GistSettings.DEFAULT;
    return new GistSettings(
        d.t1(),
        2_000,
        d.validity(),
        d.hold(),
        d.rate(),
        d.rateBurst(),
        d.interceptionRate(),
        d.statesMax(),
        d.cookieLifetime(),
        d.secureOnly(),
        0,
        routerAlert ? List.of() : List.of(AddressPrefix.ALL_IPV4),
        d.strictIngress(),
        d.statelessData(),
        d.prefixMin(),
        d.errorComments());
  }

  @Override
  public void execute(Runnable task) {
    try {
      loop.execute(task);
    } catch (RejectedExecutionException e) {
      // The client is closed: its stages have been completed before.
      return;
    }
  }

  @Override
  public GistService gist() {
    return gist;
  }

  @Override
  public Timers timers() {
    return timers;
  }

  @Override
  public LocalNetwork network() {
    return network;
  }

  @Override
  public List<String> limits() {
    return port.limits();
  }

  @Override
  public void close() {
    execute(links::close);
    port.close();
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
