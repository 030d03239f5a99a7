// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.port;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * Makes the byte streams of C-mode: TCP, or TLS over TCP. Frames them into messages by the length
 * in the common header, and does nothing else with them. On the GIST thread.
 */
public interface LinkFactory {
  /**
   * What can be offered, best first: stacks as in a Stack-Proposal, {@code [2, 1]} or {@code [1]}.
   */
  List<List<Integer>> stacks();

  /**
   * TCP port at which connections of this stack are accepted; it listens when this returns.
   *
   * @return 0 when it cannot (an initiator that only connects)
   */
  int listeningPort(List<Integer> stack);

  /** Connects; the outcome comes to the listener, always after this has returned. */
  Link connect(List<Integer> stack, InetAddress from, InetSocketAddress to, Link.Listener listener);

  /** Names who is asked for a listener for each accepted connection, once. */
  void accept(Acceptor acceptor);

  /** Takes accepted connections, after the TLS handshake and the check of the peer's identity. */
  interface Acceptor {
    Link.Listener accepted(Link link);
  }
}
