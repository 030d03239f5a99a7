// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import java.io.IOException;
import org.netserv.mediarelay.core.Allocation;
import org.netserv.mediarelay.core.PeerLinks;
import org.netserv.mediarelay.core.RelayedSocket;

/** Opens relayed addresses of UDP, and of TCP for allocations of RFC 6062. */
final class RelayedAddresses implements RelayedSocket.Opener {
  private final PeerSockets udp;
  private PeerLinks tcp;

  RelayedAddresses(PeerSockets udp) {
    this.udp = udp;
  }

  void tcp(PeerLinks with) {
    tcp = with;
  }

  @Override
  public RelayedSocket open(Allocation owner, int family, int port, boolean dontFragment)
      throws IOException {
    return owner.isTcp()
        ? tcp.open(owner, family, port)
        : udp.open(owner, family, port, dontFragment);
  }

  @Override
  public boolean canForbidFragments() {
    return udp.canForbidFragments();
  }
}
