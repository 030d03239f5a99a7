// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import java.io.IOException;
import org.netserv.io.UdpSocket;
import org.netserv.mediarelay.core.Allocation;
import org.netserv.mediarelay.core.RelayedSocket;

/** The socket at a relayed address. */
final class PeerSocket implements RelayedSocket {
  private final PeerSockets registry;
  private final Allocation owner;
  private final int family;
  private final int port;
  private final UdpSocket socket;

  PeerSocket(PeerSockets registry, Allocation owner, int family, int port, UdpSocket socket) {
    this.registry = registry;
    this.owner = owner;
    this.family = family;
    this.port = port;
    this.socket = socket;
  }

  Allocation owner() {
    return owner;
  }

  int family() {
    return family;
  }

  int port() {
    return port;
  }

  UdpSocket socket() {
    return socket;
  }

  @Override
  public void close() {
    registry.forget(this);
    try {
      socket.close();
    } catch (IOException e) {
      registry.closeFailed();
    }
  }
}
