// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.conformance;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.netserv.gist.port.Link;
import org.netserv.gist.port.LinkFactory;

/** Connections with the test at the other end. */
final class Wires implements LinkFactory {
  static final List<Integer> TCP = List.of(1);
  static final List<Integer> TLS = List.of(2, 1);

  /** Connections that the node opened, in order. */
  final List<Wire> opened = new ArrayList<>();

  private final List<List<Integer>> stacks;
  private final Clock clock;
  private Acceptor acceptor;

  /** Creates connections. The clock runs all due tasks, so the node sees each event at once. */
  Wires(List<List<Integer>> stacks, Clock clock) {
    this.stacks = stacks;
    this.clock = clock;
  }

  @Override
  public List<List<Integer>> stacks() {
    return stacks;
  }

  /** Returns 0x1111 for TCP, 0x2222 for TLS. */
  @Override
  public int listeningPort(List<Integer> stack) {
    return stack.equals(TCP) ? 0x1111 : 0x2222;
  }

  @Override
  public Link connect(
      List<Integer> stack, InetAddress from, InetSocketAddress to, Link.Listener listener) {
    Wire wire = new Wire(stack, new InetSocketAddress(from, 50_000), to);
    wire.listener = listener;
    opened.add(wire);
    return wire;
  }

  @Override
  public void accept(Acceptor taker) {
    acceptor = taker;
  }

  /** Opens a connection as a peer, after its TLS handshake if there is one. */
  Wire accepted(List<Integer> stack, InetAddress local, InetAddress peer) {
    Wire wire =
        new Wire(
            stack,
            new InetSocketAddress(local, listeningPort(stack)),
            new InetSocketAddress(peer, 50_001));
    wire.listener = acceptor.accepted(wire);
    if (wire.listener != null) {
      wire.listener.connected(wire);
    }
    return wire;
  }

  /** One end of a connection. The test is the other end. */
  final class Wire implements Link {
    /** Messages that the node sent, in order. */
    final List<byte[]> sent = new ArrayList<>();

    boolean closed;
    private final List<Integer> stack;
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private Listener listener;

    private Wire(List<Integer> stack, InetSocketAddress local, InetSocketAddress remote) {
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
      return stack.contains(2) ? "dns:peer.example" : "";
    }

    @Override
    public void send(byte[] message) {
      if (closed) {
        throw new IllegalStateException("sent on a closed link");
      }
      sent.add(message);
    }

    @Override
    public long pending() {
      return 0;
    }

    @Override
    public void close() {
      closed = true;
    }

    /** Connects a connection that the node opened. */
    void connect() {
      listener.connected(this);
      clock.advance(0);
    }

    /** Receives a message from the peer. */
    void receive(String message) {
      listener.received(Bytes.of(message));
      clock.advance(0);
    }

    /** Ends the connection, as the peer or the network may. */
    void fail() {
      closed = true;
      listener.closed("reset");
      clock.advance(0);
    }

    /**
     * Ends the connection because the list of authorised peers was edited and has the peer no
     * longer.
     */
    void revoke() {
      closed = true;
      listener.refused("no longer an authorised peer");
      clock.advance(0);
    }

    /** Returns the messages that the node sent, taken apart. */
    List<Seen> seen() {
      return sent.stream().map(bytes -> Seen.message(Bytes.hex(bytes))).toList();
    }
  }
}
