// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.netserv.io.UdpSelector;
import org.netserv.io.UdpSocket;
import org.netserv.mediarelay.core.Allocation;
import org.netserv.mediarelay.core.Ip;
import org.netserv.mediarelay.core.RelayedSocket;

/** The sockets at relayed addresses, by family and port. A lookup allocates nothing. */
final class PeerSockets implements RelayedSocket.Opener {
  /** The bit of a selector's key that stands for IPv6. The other bits are the port. */
  private static final long V6_KEY = 0x1_0000;

  private static final int PORTS = 0x1_0000;
  private static final InetAddress ANY_4 = Ip.literal("0.0.0.0");
  private static final InetAddress ANY_6 = Ip.literal("::");

  private final UdpSelector selector;
  private final int bufferBytes;
  private final PeerSocket[] sockets = new PeerSocket[2 * PORTS];
  private boolean canForbidFragments = true;
  private long closeFailures;

  /**
   * @param bufferBytes receive buffer of each socket, 0 = the system's
   */
  PeerSockets(UdpSelector selector, int bufferBytes) {
    this.selector = selector;
    this.bufferBytes = bufferBytes;
  }

  /** Returns the socket of a selector's key, null = it has been closed since. */
  PeerSocket of(long key) {
    return sockets[(int) key & (2 * PORTS - 1)];
  }

  /** Returns the socket at a relayed address, null = there is none. */
  PeerSocket at(int family, int port) {
    return sockets[index(family, port)];
  }

  private static int index(int family, int port) {
    return (int) (family == 4 ? port : V6_KEY | port);
  }

  @Override
  public RelayedSocket open(Allocation owner, int family, int port, boolean dontFragment)
      throws IOException {
    UdpSocket socket =
        UdpSocket.bind(
            new InetSocketAddress(family == 4 ? ANY_4 : ANY_6, port), UdpSocket.Option.ONE_FAMILY);
    try {
      socket.errors(true);
      socket.fragment(!dontFragment);
      if (bufferBytes > 0) {
        socket.receiveBuffer(bufferBytes);
      }
      selector.add(socket, index(family, port));
    } catch (IOException e) {
      socket.close();
      throw e;
    }
    PeerSocket made = new PeerSocket(this, owner, family, port, socket);
    sockets[index(family, port)] = made;
    return made;
  }

  void forget(PeerSocket socket) {
    sockets[index(socket.family(), socket.port())] = null;
  }

  void closeFailed() {
    closeFailures++;
  }

  long closeFailures() {
    return closeFailures;
  }

  void canForbidFragments(boolean can) {
    canForbidFragments = can;
  }

  @Override
  public boolean canForbidFragments() {
    return canForbidFragments;
  }
}
