// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import java.io.IOException;

/** A socket at a relayed address. */
public interface RelayedSocket {
  /** Closes the socket. Its port is free when this returns. */
  void close();

  /** Opens sockets at relayed addresses. */
  interface Opener {
    /**
     * Opens a socket for an allocation, which gets its datagrams or connections from now on.
     *
     * @param family 4 or 6
     * @param port a port of the relay's range
     * @param dontFragment whether datagrams leave with the DF bit (RFC 8656, 14)
     * @throws IOException if the port or a descriptor cannot be had
     */
    RelayedSocket open(Allocation owner, int family, int port, boolean dontFragment)
        throws IOException;

    /** Tells whether DF can be set. */
    boolean canForbidFragments();
  }
}
