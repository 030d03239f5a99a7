// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/**
 * A server that keep-alives go to: address and port, and its state. The link's thread sets the
 * state, and the packet thread reads it.
 */
final class Server {
  private final long high;
  private final long low;
  private final int port;
  private volatile ServerState state = ServerState.UNKNOWN;

  /** The address in two halves, IPv4 as ::ffff:a.b.c.d. */
  Server(long high, long low, int port) {
    this.high = high;
    this.low = low;
    this.port = port;
  }

  boolean is(long otherHigh, long otherLow, int otherPort) {
    return low == otherLow && high == otherHigh && port == otherPort;
  }

  long high() {
    return high;
  }

  long low() {
    return low;
  }

  int port() {
    return port;
  }

  boolean isIpv4() {
    return high == 0 && low >>> 32 == 0xffff;
  }

  ServerState state() {
    return state;
  }

  void state(ServerState next) {
    state = next;
  }

  /** Returns the address for a socket. */
  InetSocketAddress address() {
    byte[] bytes = ByteBuffer.allocate(16).putLong(high).putLong(low).array();
    try {
      return new InetSocketAddress(InetAddress.getByAddress(bytes), port); // mapped becomes IPv4
    } catch (UnknownHostException impossible) {
      throw new IllegalStateException("16 bytes are an address", impossible);
    }
  }

  @Override
  public String toString() {
    InetSocketAddress address = address();
    return address.getAddress().getHostAddress() + " port " + port;
  }
}
