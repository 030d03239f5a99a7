// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.node;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Queue;
import org.netserv.gist.port.Link;
import org.netserv.gist.port.LinkFactory;
import org.netserv.gist.wire.StackProposal;

/**
 * The connections of one node of {@link GistRehearsal}, in memory. Every event is a task of the
 * rehearsal, so that no call comes back into its caller.
 */
final class RehearsalLinks implements LinkFactory {
  private static final List<List<Integer>> STACKS =
      List.of(List.of(StackProposal.TLS, StackProposal.TCP), List.of(StackProposal.TCP));
  private static final int PORT = 4270;

  private final Queue<Runnable> tasks;
  private RehearsalLinks peer;
  private Acceptor acceptor;

  RehearsalLinks(Queue<Runnable> tasks) {
    this.tasks = tasks;
  }

  /** Sets the node to which connections lead. */
  void to(RehearsalLinks other) {
    peer = other;
  }

  @Override
  public List<List<Integer>> stacks() {
    return STACKS;
  }

  @Override
  public int listeningPort(List<Integer> stack) {
    return PORT;
  }

  @Override
  public void accept(Acceptor theAcceptor) {
    acceptor = theAcceptor;
  }

  @Override
  public Link connect(
      List<Integer> stack, InetAddress from, InetSocketAddress to, Link.Listener listener) {
    InetSocketAddress local = new InetSocketAddress(from, PORT);
    End mine = new End(stack, local, to);
    End theirs = new End(stack, to, local);
    mine.listener = listener;
    mine.other = theirs;
    theirs.other = mine;
    tasks.add(
        () -> {
          theirs.listener = peer.acceptor.accepted(theirs);
          listener.connected(mine);
        });
    return mine;
  }

  private final class End implements Link {
    private final List<Integer> stack;
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private Link.Listener listener;
    private End other;

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
      return "";
    }

    @Override
    public void send(byte[] message) {
      tasks.add(() -> other.listener.received(message));
    }

    @Override
    public long pending() {
      return 0;
    }

    @Override
    public void close() {}
  }
}
