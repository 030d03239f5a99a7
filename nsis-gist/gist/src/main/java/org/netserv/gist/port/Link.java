// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.port;

import java.net.InetSocketAddress;
import java.util.List;

/** One connection of C-mode. */
public interface Link {
  /** Messages longer than this, in bytes, close the connection of whoever sends them. */
  int MESSAGE_MAX = 8 + 4 * 65_535;

  /** Its stack, {@code [2, 1]} or {@code [1]}. */
  List<Integer> stack();

  InetSocketAddress local();

  InetSocketAddress remote();

  /**
   * Who the peer is by its certificate, {@code dns:name} or {@code key:} and the SHA-256 of its
   * public key in hexadecimal; empty without TLS, and where any certificate will do.
   */
  String peerName();

  /**
   * Sends one whole message, common header first. What is sent in order arrives in order, or the
   * link fails. Before {@link Listener#connected} it is refused.
   */
  void send(byte[] message);

  /** Bytes that were sent and are not yet with the kernel. */
  long pending();

  /** Ends it: what was sent is still delivered; the listener hears nothing more. */
  void close();

  /** What happens on it. */
  interface Listener {
    void connected(Link link);

    /** One whole message, common header first. */
    void received(byte[] message);

    /** It failed or was closed by the peer; called once, nothing follows. */
    void closed(String reason);

    /**
     * The same, because the list of authorised peers does not have this one, or no longer; called
     * instead of {@link #closed}.
     */
    default void refused(String reason) {
      closed(reason);
    }

    /**
     * The same, because the peer refused our certificate in the TLS handshake, which it does before
     * it reads anything that we sent; called instead of {@link #closed}.
     */
    default void unwelcome(String reason) {
      closed(reason);
    }
  }
}
