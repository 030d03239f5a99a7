// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.net;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.netserv.gist.association.AssociationCounters.Counter;
import org.netserv.gist.port.Link;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One TCP connection, with TLS or without. On the GIST thread. */
@SuppressWarnings("FutureReturnValueIgnored") // the channel's events tell the outcome
final class NettyLink implements Link {
  private static final Logger LOG = LoggerFactory.getLogger(NettyLink.class);

  /** Time in ms in which a connection that we closed may still deliver. */
  private static final long LINGER = 5000;

  private final List<Integer> stack;
  private final InetSocketAddress remote;
  private final boolean opened;
  private final NettyLinks owner;

  private Channel channel;
  private Listener listener;

  /** The certificates that the peer showed in TLS; empty without TLS. */
  private List<X509Certificate> chain = List.of();

  private String peerName = "";
  private long pending;
  private boolean up;
  private boolean ended;

  /**
   * Creates a link that is not connected yet.
   *
   * @param opened by us, so the peer is the server
   */
  NettyLink(List<Integer> stack, InetSocketAddress remote, boolean opened, NettyLinks owner) {
    this.stack = stack;
    this.remote = remote;
    this.opened = opened;
    this.owner = owner;
  }

  @Override
  public List<Integer> stack() {
    return stack;
  }

  @Override
  public InetSocketAddress local() {
    return (InetSocketAddress) channel.localAddress();
  }

  @Override
  public InetSocketAddress remote() {
    return remote;
  }

  @Override
  public String peerName() {
    return peerName;
  }

  @Override
  public long pending() {
    return pending;
  }

  @Override
  public void send(byte[] message) {
    if (!up) {
      throw new IllegalStateException("not connected");
    }
    if (ended || pending > owner.settings().pendingMax()) {
      return; // the link is failing, and says so
    }
    pending += message.length;
    if (pending > owner.settings().pendingMax()) {
      // Later, because the sender is in the middle of something.
      channel.eventLoop().execute(() -> fail(Counter.PEER_STALLED, "the peer does not read"));
      return;
    }
    channel
        .writeAndFlush(Unpooled.wrappedBuffer(message))
        .addListener(done -> pending -= message.length);
  }

  /**
   * Closes the link without loss. Our side ends with a FIN, not a reset, and still reads the peer's
   * data.
   */
  @Override
  public void close() {
    if (ended) {
      return;
    }
    end();
    if (channel == null) {
      return;
    }
    if (!up) {
      channel.close();
      return;
    }
    SslHandler tls = channel.pipeline().get(SslHandler.class);
    Future<?> delivered =
        tls == null ? channel.writeAndFlush(Unpooled.EMPTY_BUFFER) : tls.closeOutbound();
    delivered.addListener(done -> ((SocketChannel) channel).shutdownOutput());
    channel.eventLoop().schedule(() -> channel.close(), LINGER, TimeUnit.MILLISECONDS);
  }

  void listen(Listener theListener) {
    listener = theListener;
  }

  void channel(Channel made) {
    channel = made;
  }

  boolean ended() {
    return ended;
  }

  /** Called when TCP is connected. */
  void connected() {
    if (ended) {
      return;
    }
    up = true;
    if (opened) {
      owner.count(Counter.LINK_CONNECTED);
      listener.connected(this);
    } else {
      owner.count(Counter.LINK_ACCEPTED);
      Listener given = owner.accepted(this);
      if (!ended) {
        listener = given;
      }
    }
  }

  /** Called when TCP and TLS are connected. */
  void connected(List<X509Certificate> shown) {
    chain = shown;
    Optional<String> name = admitted();
    if (name.isEmpty()) {
      refuse(Counter.PEER_UNAUTHORISED, "not an authorised peer");
      return;
    }
    peerName = name.get();
    connected();
  }

  void received(byte[] message) {
    if (listener != null) {
      listener.received(message);
    }
  }

  /** Judges the peer again after the list of authorised peers was edited. */
  void judgeAgain() {
    if (!up || chain.isEmpty()) {
      return;
    }
    Optional<String> name = admitted();
    if (name.isEmpty()) {
      refuse(Counter.PEER_REVOKED, "no longer an authorised peer");
    } else {
      peerName = name.get();
    }
  }

  /**
   * Ends the link after a failure.
   *
   * @param why null: counted elsewhere
   */
  void fail(Counter why, String reason) {
    end(why, reason, Listener::closed);
  }

  /** Ends the link because the peer is not, or no longer, authorised. */
  void refuse(Counter why, String reason) {
    end(why, reason, Listener::refused);
  }

  /** Ends the link because the peer does not authorise us. */
  void unwelcome(String reason) {
    end(null, reason, Listener::unwelcome);
  }

  private void end(Counter why, String reason, BiConsumer<Listener, String> last) {
    if (ended) {
      return;
    }
    if (why != null) {
      owner.count(why);
    }
    LOG.debug("{} {}: {}", opened ? "to" : "from", remote, reason);
    Listener told = listener;
    end();
    if (channel != null) {
      channel.close();
    }
    if (told != null) {
      last.accept(told, reason);
    }
  }

  private Optional<String> admitted() {
    return owner.peers().admit(chain, remote.getAddress(), opened);
  }

  private void end() {
    ended = true;
    listener = null;
    owner.ended(this);
  }
}
