// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.port;

/**
 * Sends and receives the datagrams of D-mode and Q-mode. On a node it is the program {@code sigio},
 * on a publisher's host a UDP socket. Everything happens on the GIST thread.
 */
public interface DatagramPort {
  /**
   * Sends a datagram. A failure comes back as {@link Listener#failed}, or is counted. Never blocks.
   */
  void send(OutboundDatagram datagram);

  /** Lets an intercepted packet go on unchanged. */
  void forward(long token);

  /**
   * Lets an intercepted packet go on with another UDP payload. Addresses, TTL and options stay the
   * packet's own.
   */
  void forward(long token, byte[] payload);

  /** Takes an intercepted packet out of the network, because it was for us. */
  void consume(long token);

  /** Sets the listener, once, before the first packet. */
  void listen(Listener listener);

  /** Takes the datagrams and errors that come in. */
  interface Listener {
    /**
     * A datagram; one with a token gets exactly one of forward, forward with payload, and consume,
     * in the same call or soon after: without an answer it goes on unchanged after half a second.
     */
    void received(InboundDatagram datagram);

    void icmp(IcmpError error);

    /**
     * A datagram could not be sent.
     *
     * @param mtu of the way when it was too long for it, else 0
     */
    void failed(OutboundDatagram datagram, String reason, int mtu);
  }
}
