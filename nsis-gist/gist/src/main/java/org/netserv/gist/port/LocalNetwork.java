// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.port;

import java.net.InetAddress;
import java.util.Optional;

/** Facts about this host's interfaces and routes; cheap enough to ask for each Query. */
public interface LocalNetwork {
  boolean isLocal(InetAddress address);

  /**
   * The address of the interface by which packets to this destination leave, of the same IP
   * version, never link-local.
   */
  Optional<InetAddress> addressTowards(InetAddress destination);

  /** An address of the interface, of that IP version (4 or 6), never link-local. */
  Optional<InetAddress> addressOf(int interfaceIndex, int ipVersion);

  /** Index of the interface by which packets to this destination leave; 0 = no route. */
  int interfaceTowards(InetAddress destination);

  /** MTU of that interface in bytes; 0 = not known. */
  int mtu(int interfaceIndex);
}
