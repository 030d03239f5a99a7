// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.netserv.gist.association.AssociationCounters;
import org.netserv.gist.association.AssociationCounters.Counter;
import org.netserv.gist.port.Link;
import org.netserv.gist.port.LinkFactory;
import org.netserv.gist.wire.StackProposal;
import org.netserv.process.FairSlots;
import org.netserv.process.SourceKey;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TCP and TLS by Netty: RFC 5971 sections 5.4, 5.7.2 and 5.7.3. The side that connects is the
 * client of TLS. Both sides show a certificate and judge the other's by the list of authorised
 * peers, and again when the list is edited. A peer that is refused never gets to GIST.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the channel's events tell the outcome
public final class NettyLinks implements LinkFactory {
  private static final Logger LOG = LoggerFactory.getLogger(NettyLinks.class);
  private static final List<Integer> TLS = List.of(StackProposal.TLS, StackProposal.TCP);
  private static final List<Integer> TCP = List.of(StackProposal.TCP);

  /**
   * Connections within the TLS handshake are at most this fraction (1/4) of all accepted
   * connections.
   */
  private static final int HANDSHAKING_PART = 4;

  private final EventLoop loop;
  private final LinkSettings settings;
  private final LinkTls tls;
  private final AuthorisedPeers peers;
  private final AssociationCounters counters;
  private final Map<List<Integer>, Listeners> listeners = new HashMap<>();
  private final Set<NettyLink> links = new LinkedHashSet<>();
  private final Runnable judgeAgain;
  private Acceptor acceptor;
  private final FairSlots<NettyLink> accepted;
  private final FairSlots<NettyLink> handshaking;
  private BooleanSupplier refusing = () -> false;

  /**
   * Creates a factory. Nothing listens yet.
   *
   * @param loop the GIST thread, of NIO
   * @param handshakes runs the computations of TLS; one thread is enough
   * @param certificate null: no TLS
   */
  public NettyLinks(
      EventLoop loop,
      Executor handshakes,
      LinkSettings settings,
      NodeCertificate certificate,
      AuthorisedPeers peers,
      AssociationCounters counters) {
    this.loop = loop;
    this.settings = settings;
    this.peers = peers;
    this.counters = counters;
    tls =
        certificate == null
            ? null
            : new LinkTls(certificate, peers, handshakes, settings.handshakeTimeout());
    accepted = new FairSlots<>(settings.acceptedMax());
    handshaking = new FairSlots<>(Math.max(1, settings.acceptedMax() / HANDSHAKING_PART));
    judgeAgain = () -> loop.execute(this::judgeAgain);
    peers.onEdit(judgeAgain);
  }

  @Override
  public List<List<Integer>> stacks() {
    if (tls == null) {
      return settings.tcp() ? List.of(TCP) : List.of();
    }
    return settings.tcp() ? List.of(TLS, TCP) : List.of(TLS);
  }

  @Override
  public int listeningPort(List<Integer> stack) {
    if (!settings.listen() || !stacks().contains(stack)) {
      return 0;
    }
    Listeners open = listeners.get(stack);
    if (open == null) {
      int port = stack.equals(TLS) ? settings.tlsPort() : settings.tcpPort();
      try {
        open = Listeners.open(loop, settings.addresses(), port, server(stack));
      } catch (IOException e) {
        LOG.warn("cannot listen at TCP port {}: {}", port, e.toString());
        return 0; // tried again with the next Response
      }
      listeners.put(stack, open);
    }
    return open.port();
  }

  @Override
  public Link connect(
      List<Integer> stack, InetAddress from, InetSocketAddress to, Link.Listener listener) {
    NettyLink link = new NettyLink(stack, to, true, this);
    link.listen(listener);
    links.add(link);
    // Not now, because the caller first wants to have the link.
    loop.execute(() -> start(link, stack, from, to));
    return link;
  }

  private void start(NettyLink link, List<Integer> stack, InetAddress from, InetSocketAddress to) {
    if (link.ended()) {
      return;
    }
    Bootstrap bootstrap =
        new Bootstrap()
            .group(loop)
            .channel(NioSocketChannel.class)
            .option(ChannelOption.TCP_NODELAY, true)
            .option(
                ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) settings.connectTimeout().toMillis())
            .handler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    link.channel(channel);
                    assemble(channel, link, stack.equals(TLS) ? tls.client(channel, to) : null);
                  }
                });
    ChannelFuture connecting =
        from == null
            ? bootstrap.connect(to)
            : bootstrap.connect(to, new InetSocketAddress(from, 0));
    connecting.addListener(
        done -> {
          if (!done.isSuccess()) {
            counters.count(Counter.LINK_CONNECT_FAILED);
            link.fail(null, "cannot connect: " + done.cause().getMessage());
          }
        });
  }

  @Override
  public void accept(Acceptor theAcceptor) {
    acceptor = theAcceptor;
  }

  /** Refuses new connections of peers while the supplier returns true. */
  public void refuseWhen(BooleanSupplier overload) {
    refusing = overload;
  }

  /** Returns the number of accepted connections. */
  public int accepted() {
    return accepted.used();
  }

  /** Stops listening and ends all connections. Messages sent before are still delivered. */
  public void close() {
    peers.removeOnEdit(judgeAgain);
    listeners.values().forEach(Listeners::close);
    listeners.clear();
    List.copyOf(links).forEach(NettyLink::close);
  }

  private ChannelInitializer<Channel> server(List<Integer> stack) {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel channel) {
        InetSocketAddress from = (InetSocketAddress) channel.remoteAddress();
        NettyLink link = new NettyLink(stack, from, false, NettyLinks.this);
        if (!admitted(link, stack.equals(TLS))) {
          channel.close();
          return;
        }
        channel.closeFuture().addListener(done -> released(link));
        link.channel(channel);
        links.add(link);
        assemble(channel, link, stack.equals(TLS) ? tls.server(channel, from) : null);
      }
    };
  }

  /**
   * Takes the slots of an accepted connection by its source address. The source with most of them
   * gives way, oldest first.
   */
  private boolean admitted(NettyLink link, boolean secure) {
    if (refusing.getAsBoolean()) {
      counters.count(Counter.LINK_REFUSED_OVERLOAD);
      return false;
    }
    List<String> path = SourceKey.of(link.remote().getAddress()).path();
    if (!accepted.take(link, path, NettyLinks::giveWay)) {
      counters.count(Counter.LINK_REFUSED_FULL);
      return false;
    }
    if (secure && !handshaking.take(link, path, NettyLinks::giveWay)) {
      accepted.release(link);
      counters.count(Counter.LINK_REFUSED_HANDSHAKES);
      return false;
    }
    return true;
  }

  private static void giveWay(NettyLink link) {
    link.fail(Counter.LINK_GAVE_WAY, "made room for another source");
  }

  private void released(NettyLink link) {
    accepted.release(link);
    handshaking.release(link);
  }

  /** Assembles the pipeline: TLS, then frames, then the link. */
  private void assemble(Channel channel, NettyLink link, SslHandler tlsHandler) {
    if (tlsHandler != null) {
      channel.pipeline().addLast(tlsHandler);
    }
    channel
        .pipeline()
        .addLast(new MessageFraming(settings.messageMax(), () -> count(Counter.MESSAGE_CUT)))
        .addLast(new NettyLinkHandler(link, tlsHandler));
  }

  // Calls by the links.

  LinkSettings settings() {
    return settings;
  }

  AuthorisedPeers peers() {
    return peers;
  }

  void count(Counter counter) {
    counters.count(counter);
  }

  /** Returns the listener of a link that a peer opened. The handshake of the link is over. */
  Link.Listener accepted(NettyLink link) {
    handshaking.release(link);
    return acceptor.accepted(link);
  }

  void ended(NettyLink link) {
    links.remove(link);
  }

  private void judgeAgain() {
    List.copyOf(links).forEach(NettyLink::judgeAgain);
  }
}
