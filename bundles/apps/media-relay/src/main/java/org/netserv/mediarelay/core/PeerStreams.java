// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import java.io.IOException;

/**
 * TCP connections between relayed addresses and peers (RFC 6062). The relay's requests decide, and
 * this opens, accepts and joins. Addresses have 128 bits, IPv4 addresses as ::ffff:a.b.c.d. All
 * calls both ways are made with the lock of the relay held.
 */
public interface PeerStreams {
  /** A relayed TCP address on which peers can connect. */
  interface Listening {
    int port();

    /** Stops listening and closes connections that no client has bound. Joined ones stay. */
    void close();
  }

  /** A connection with a peer. */
  interface PeerStream {
    long high();

    long low();

    int port();

    /** Closes the connection, and the client's data connection when joined. */
    void close();
  }

  /** Hears of connections. */
  interface Heard {
    /**
     * A peer has connected. Bytes of the peer are left in the kernel until {@link #join}. The
     * callee closes the connection if no permission allows it.
     */
    void accepted(Listening at, PeerStream peer);

    /** A {@link #connect} is done. */
    void connected(PeerStream peer);

    /**
     * A {@link #connect} has failed or timed out.
     *
     * @param reason such as {@code refused}, {@code unreachable}, {@code timeout}
     */
    void failed(PeerStream peer, String reason);

    /** A connection that was accepted or connected has ended, by either side. Called once. */
    void ended(PeerStream peer, long bytesToPeer, long bytesFromPeer);
  }

  /**
   * Listens on a relayed port.
   *
   * @param family 4 or 6
   * @throws IOException if the port cannot be had
   */
  Listening listen(int family, int port, Heard heard) throws IOException;

  /**
   * Begins to connect from the port that {@code at} listens on.
   *
   * @return the connection, for which {@code Heard} is told of the outcome later
   */
  PeerStream connect(Listening at, long high, long low, int port, Heard heard) throws IOException;

  /**
   * Joins a peer's connection with the client's data connection: from now on bytes go both ways
   * unchanged, each way bounded by one buffer, and the end of one is the end of the other after
   * what was sent. {@code data} is no longer a connection of messages.
   */
  void join(PeerStream peer, Client data);
}
