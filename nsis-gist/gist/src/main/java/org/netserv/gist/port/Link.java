// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.port;

import java.net.InetSocketAddress;
import java.util.List;

/** One connection of C-mode. */
public interface Link {
  /** Largest message, in bytes. A longer message closes its connection. */
  int MESSAGE_MAX = 8 + 4 * 65_535;

  /** Returns the stack, {@code [2, 1]} or {@code [1]}. */
  List<Integer> stack();

  InetSocketAddress local();

  InetSocketAddress remote();

  /**
   * Returns the peer's identity by its certificate. The identity is {@code dns:name}, or {@code
   * key:} and the SHA-256 of the public key in hexadecimal. It is empty without TLS, and where any
   * certificate will do.
   */
  String peerName();

  /**
   * Sends one whole message, common header first. Messages arrive in the order in which they were
   * sent, or the link fails. The link refuses messages before {@link Listener#connected}.
   */
  void send(byte[] message);

  /** Returns the number of bytes that were sent and are not yet with the kernel. */
  long pending();

  /** Ends the link. Messages sent before are still delivered. The listener hears nothing more. */
  void close();

  /** Takes the events of a link. */
  interface Listener {
    void connected(Link link);

    /** Takes one whole message, common header first. */
    void received(byte[] message);

    /** Called when the link failed or the peer closed it. Called once, and nothing follows. */
    void closed(String reason);

    /**
     * Called instead of {@link #closed} when the list of authorised peers does not have this peer,
     * or no longer.
     */
    default void refused(String reason) {
      closed(reason);
    }

    /**
     * Called instead of {@link #closed} when the peer refused our certificate in the TLS handshake.
     * The peer does so before it reads anything that we sent.
     */
    default void unwelcome(String reason) {
      closed(reason);
    }
  }
}
