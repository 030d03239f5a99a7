// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.association;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.netserv.gist.port.Link;
import org.netserv.gist.port.LinkFactory;
import org.netserv.gist.port.Timers;

/** Connections between nodes of one test. Messages arrive a millisecond later. */
final class MemoryLinks implements LinkFactory {
  static final List<Integer> TLS = List.of(2, 1);
  static final List<Integer> TCP = List.of(1);

  /** The nodes of a test by their address. */
  static final class Network {
    private final Map<InetAddress, MemoryLinks> nodes = new HashMap<>();
  }

  private final Network network;
  private final Timers timers;

  /** Links of this node that were opened or accepted, in order. */
  final List<End> ends = new ArrayList<>();

  List<List<Integer>> stacks = List.of(TLS, TCP);
  boolean listening = true;

  /** Connections to us are refused. */
  boolean refusing;

  /** Connections to us get no answer. */
  boolean ignoring;

  private Acceptor acceptor;

  MemoryLinks(Network network, InetAddress address, Timers timers) {
    this.network = network;
    this.timers = timers;
    network.nodes.put(address, this);
  }

  @Override
  public List<List<Integer>> stacks() {
    return stacks;
  }

  @Override
  public int listeningPort(List<Integer> stack) {
    return listening ? 4000 + stack.size() : 0;
  }

  @Override
  public void accept(Acceptor theAcceptor) {
    acceptor = theAcceptor;
  }

  @Override
  public Link connect(
      List<Integer> stack, InetAddress from, InetSocketAddress to, Link.Listener listener) {
    End mine = new End(stack, new InetSocketAddress(from, 50_000 + ends.size()), to);
    mine.listener = listener;
    ends.add(mine);
    timers.schedule(1, () -> network.nodes.get(to.getAddress()).incoming(mine));
    return mine;
  }

  private void incoming(End theirs) {
    if (ignoring || theirs.closed) {
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
    ends.add(mine);
    Link.Listener accepted = acceptor.accepted(mine);
    if (!mine.closed) {
      mine.listener = accepted;
    }
    timers.schedule(
        1,
        () -> {
          if (theirs.listener != null) {
            theirs.up = true;
            theirs.listener.connected(theirs);
          }
        });
  }

  /** One end of a connection. */
  final class End implements Link {
    private final List<Integer> stack;
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private Link.Listener listener;
    private End other;
    private boolean up;
    boolean closed;

    /** When true, no message arrives any more. */
    boolean dead;

    final List<byte[]> sent = new ArrayList<>();
    final List<Long> sentAt = new ArrayList<>();

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
      return stack.equals(TLS) ? "dns:" + remote.getAddress().getHostAddress() : "";
    }

    @Override
    public void send(byte[] message) {
      if (!up) {
        throw new IllegalStateException("sent before it is connected");
      }
      sent.add(message);
      sentAt.add(timers.now());
      if (!dead) {
        timers.schedule(1, () -> other.arrive(message));
      }
    }

    private void arrive(byte[] message) {
      if (listener != null) {
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
      if (other != null && !dead) {
        timers.schedule(1, () -> other.fail("closed by the peer"));
      }
    }

    void fail(String reason) {
      if (listener != null) {
        Link.Listener told = listener;
        closed = true;
        listener = null;
        told.closed(reason);
      }
    }
  }
}
