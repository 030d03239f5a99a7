// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.port;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * Makes the byte streams of C-mode: TCP, or TLS over TCP. It frames them into messages by the
 * length in the common header, and does nothing else with them. It runs on the GIST thread.
 */
public interface LinkFactory {
  /**
   * Returns the stacks that can be offered, best first, as in a Stack-Proposal: {@code [2, 1]} or
   * {@code [1]}.
   */
  List<List<Integer>> stacks();

  /**
   * Returns the TCP port at which connections of this stack are accepted. The port listens when
   * this method returns.
   *
   * @return 0 when it cannot listen (an initiator that only connects)
   */
  int listeningPort(List<Integer> stack);

  /** Connects. The listener hears the outcome, always after this method has returned. */
  Link connect(List<Integer> stack, InetAddress from, InetSocketAddress to, Link.Listener listener);

  /** Sets the acceptor that supplies a listener for each accepted connection, once. */
  void accept(Acceptor acceptor);

  /** Takes accepted connections, after the TLS handshake and the check of the peer's identity. */
  interface Acceptor {
    Link.Listener accepted(Link link);
  }
}
