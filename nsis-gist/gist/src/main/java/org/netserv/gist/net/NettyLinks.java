// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.netserv.gist.association.AssociationCounters;
import org.netserv.gist.port.Link;
import org.netserv.gist.port.LinkFactory;

/** TCP and TLS by Netty. */
public final class NettyLinks implements LinkFactory {
  /**
   * A factory; nothing listens yet.
   *
   * @param loop the GIST thread, of NIO
   * @param handshakes where TLS computes; one thread is enough
   * @param certificate null: no TLS
   */
  public NettyLinks(
      EventLoop loop,
      Executor handshakes,
      LinkSettings settings,
      NodeCertificate certificate,
      AuthorisedPeers peers,
      AssociationCounters counters) {
    Objects.requireNonNull(loop);
    Objects.requireNonNull(handshakes);
    Objects.requireNonNull(settings);
    Objects.requireNonNull(peers);
    Objects.requireNonNull(counters);
  }

  @Override
  public List<List<Integer>> stacks() {
    throw new UnsupportedOperationException();
  }

  @Override
  public int listeningPort(List<Integer> stack) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Link connect(
      List<Integer> stack, InetAddress from, InetSocketAddress to, Link.Listener listener) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void accept(Acceptor acceptor) {
    throw new UnsupportedOperationException();
  }

  /** Stops listening and ends all connections. */
  public void close() {
    // Nothing is open yet.
  }
}
