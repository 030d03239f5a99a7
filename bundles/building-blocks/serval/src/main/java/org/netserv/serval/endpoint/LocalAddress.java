// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import java.io.IOException;
import java.net.InetSocketAddress;
import org.netserv.io.UdpSelector;
import org.netserv.io.UdpSocket;
import org.netserv.serval.Endpoint;

/** A UDP socket on one local address. An error of the network is a lost packet. */
final class LocalAddress {
  /** Bytes of each socket buffer that are asked for. The system may grant less. */
  private static final int BUFFER = 1 << 22;

  private final UdpSocket socket;
  private final Endpoint address;
  private final long key;
  private long neededAt; // the last time at which it was needed

  private LocalAddress(UdpSocket socket, Endpoint address, long key) {
    this.socket = socket;
    this.address = address;
    this.key = key;
  }

  /**
   * Opens the socket.
   *
   * @param known address by which others reach the socket; null for the one that it is bound to
   * @param key comes back with the packets of this socket
   */
  static LocalAddress open(InetSocketAddress local, Endpoint known, UdpSelector selector, long key)
      throws IOException {
    UdpSocket socket = UdpSocket.bind(local);
    try {
      socket.receiveBuffer(BUFFER);
      socket.sendBuffer(BUFFER);
      socket.gather(true); // or each datagram is a message, where the system cannot
      selector.add(socket, key);
      Endpoint bound = Addresses.endpoint(socket.localAddress());
      return new LocalAddress(socket, known == null ? bound : known, key);
    } catch (IOException | RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  UdpSocket socket() {
    return socket;
  }

  Endpoint address() {
    return address;
  }

  long key() {
    return key;
  }

  /** Notes that the address is needed now. */
  void needed(long now) {
    neededAt = now;
  }

  long neededAt() {
    return neededAt;
  }

  void close() {
    try {
      socket.close();
    } catch (IOException e) {
      neededAt = Long.MIN_VALUE; // closed all the same
    }
  }
}
