// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.sim;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.netserv.gist.port.Link;
import org.netserv.gist.port.LinkFactory;

/** The connections of one host. Messages arrive in order after the delay of the way. */
public final class SimConnections implements LinkFactory {
  public static final List<Integer> TLS = List.of(2, 1);
  public static final List<Integer> TCP = List.of(1);

  private final SimHost host;
  private final List<List<Integer>> stacks;

  /** Ends that are open here. */
  public final List<End> open = new ArrayList<>();

  /** Connections to us are refused. */
  public boolean refusing;

  /** Connections to us get no answer. */
  public boolean ignoring;

  /** When true, the list of authorised peers is empty, so no peer has TLS with us. */
  public boolean trustsNobody;

  /** Stacks on which connections to us are closed at once, without an alert. */
  public List<List<Integer>> hangsUp = List.of();

  /** Number of TLS handshakes that we began. */
  public int handshakes;

  /** Changes the messages that leave by connections. */
  public UnaryOperator<byte[]> leaving = message -> message;

  /**
   * Answers messages in the place of the node, which then does not see them; empty = the node sees
   * the message.
   */
  public Function<byte[], Optional<byte[]>> instead = message -> Optional.empty();

  /** Number of connections accepted and opened in all. */
  public int made;

  private Acceptor acceptor;

  SimConnections(SimHost host, List<List<Integer>> stacks) {
    this.host = host;
    this.stacks = stacks;
  }

  @Override
  public List<List<Integer>> stacks() {
    return stacks;
  }

  @Override
  public int listeningPort(List<Integer> stack) {
    return 4000 + stack.size();
  }

  @Override
  public void accept(Acceptor theAcceptor) {
    acceptor = theAcceptor;
  }

  @Override
  public Link connect(
      List<Integer> stack, InetAddress from, InetSocketAddress to, Link.Listener listener) {
    End mine = new End(stack, new InetSocketAddress(from, 50_000 + made++), to);
    mine.listener = listener;
    open.add(mine);
    long delay = host.network.distance(host, to.getAddress());
    if (stack.equals(TLS)) {
      handshakes++;
      if (trustsNobody) {
        host.network.clock.schedule(2 * delay, mine::refused);
        return mine;
      }
    }
    SimHost there = host.network.owner(to.getAddress());
    if (delay >= 0) {
      host.network.clock.schedule(
          delay,
          () -> {
            if (there.connections != null) {
              there.connections.incoming(mine);
            } else {
              host.network.clock.schedule(delay, () -> mine.fail("connection refused"));
            }
          });
    }
    return mine;
  }

  private void incoming(End theirs) {
    if (ignoring || theirs.closed) {
      return;
    }
    if (trustsNobody && theirs.stack().equals(TLS)) {
      theirs.turnedAway(end -> end.unwelcome("TLS: certificate_unknown"));
      return;
    }
    if (hangsUp.contains(theirs.stack())) {
      theirs.turnedAway(end -> end.closed("closed by the peer"));
      return;
    }
    if (refusing || theirs.remote().getPort() != listeningPort(theirs.stack())) {
      theirs.fail("connection refused");
      return;
    }
    End mine = new End(theirs.stack(), /* local= */ theirs.remote(), /* remote= */ theirs.local());
    mine.other = theirs;
    theirs.other = mine;
    mine.up = true;
    open.add(mine);
    made++;
    Link.Listener accepted = acceptor.accepted(mine);
    mine.listener = mine.closed ? null : accepted;
    mine.later(
        () -> {
          if (theirs.listener != null) {
            theirs.up = true;
            theirs.listener.connected(theirs);
          }
        });
  }

  /** Ends all connections and tells both sides. */
  public void reset(String reason) {
    for (End end : List.copyOf(open)) {
      End far = end.other;
      end.fail(reason);
      if (far != null) {
        far.fail("connection reset");
      }
    }
  }

  /** One end of a connection. */
  public final class End implements Link {
    private final List<Integer> stack;
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private Link.Listener listener;
    private End other;
    private boolean up;
    private boolean closed;
    private boolean mute;

    End(List<Integer> stack, InetSocketAddress local, InetSocketAddress remote) {
      this.stack = stack;
      this.local = local;
      this.remote = remote;
    }

    @Override
    public List<Integer> stack() {
      return stack;
    }

    @Override
    public InetSocketAddress local() {
      return local;
    }

    @Override
    public InetSocketAddress remote() {
      return remote;
    }

    @Override
    public String peerName() {
      return stack.equals(TLS) ? "dns:" + host.network.owner(remote.getAddress()) : "";
    }

    private void later(Runnable work) {
      long delay = Math.max(0, host.network.distance(host, remote.getAddress()));
      host.network.clock.schedule(delay, work);
    }

    @Override
    public void send(byte[] message) {
      if (!up) {
        throw new IllegalStateException("sent before it is connected");
      }
      if (mute) {
        return;
      }
      End to = other;
      byte[] bytes = leaving.apply(message);
      later(() -> to.arrive(bytes));
    }

    private void arrive(byte[] message) {
      if (listener == null) {
        return;
      }
      Optional<byte[]> answer = instead.apply(message);
      if (answer.isPresent()) {
        send(answer.get());
      } else {
        listener.received(message);
      }
    }

    @Override
    public long pending() {
      return 0;
    }

    @Override
    public void close() {
      closed = true;
      listener = null;
      open.remove(this);
      if (other != null) {
        End to = other;
        later(() -> to.fail("closed by the peer"));
      }
    }

    /** Refuses the peer, which we do not admit. */
    private void refused() {
      last(gone -> gone.refused("not an authorised peer"));
    }

    /**
     * Plays a peer that does not admit us. With TLS 1.3 the peer's answer comes when the handshake
     * is over for us, and the peer never reads the messages that we sent meanwhile.
     */
    private void turnedAway(Consumer<Link.Listener> word) {
      later(
          () -> {
            if (listener != null) {
              up = true;
              mute = true;
              listener.connected(this);
              later(() -> last(word));
            }
          });
    }

    private void last(Consumer<Link.Listener> word) {
      closed = true;
      open.remove(this);
      if (listener != null) {
        Link.Listener told = listener;
        listener = null;
        word.accept(told);
      }
    }

    /** Breaks the connection and tells this side. */
    public void fail(String reason) {
      last(gone -> gone.closed(reason));
    }
  }
}
