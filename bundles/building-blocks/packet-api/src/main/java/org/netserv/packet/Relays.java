// SPDX-License-Identifier: Apache-2.0
package org.netserv.packet;

import org.osgi.annotation.versioning.ProviderType;

/**
 * Gives bound channels of a TURN server to the kernel: the part of the node's fast path for media.
 * An OSGi service. A module binds a channel here after its client has bound it, refreshes and
 * unbinds it with the channel, and relays all packets itself that still come to its sockets.
 *
 * <p>The kernel relays an entry only if the node can prove that the module may do the same by its
 * own sockets:
 *
 * <ul>
 *   <li>The server's and the relayed address and port are in the listen grants of the container.
 *   <li>The peer is in the connect grants of the container, for UDP.
 *   <li>The peer is no address of the node, of a container, or one that no router forwards.
 *   <li>No module's filter on the node sees the packets of either side.
 * </ul>
 *
 * <p>A relay that is refused, or that has ended, costs no packet. A container that ends takes its
 * relays with it at once. So does a bundle that stops.
 *
 * <p>Each bundle has an object of its own. Any thread may call.
 */
@ProviderType
public interface Relays {
  /**
   * Tells whether the node can take relays now. False without a fast path, or if the publisher's
   * policy allows no flows in the kernel. It may change with the node's fast path.
   */
  boolean available();

  /** Returns the reason why {@link #available} is false, for a log. Empty if it is true. */
  String unavailable();

  /**
   * Returns how many more relays this container may bind. All bundles of the container share the
   * places.
   */
  int free();

  /**
   * Asks the kernel for a channel. Returns at once, with the relay in the state {@code ASKED}.
   *
   * @param seconds 1 to 65535, the lifetime of the channel
   * @return null if there is no place, or if {@link #available} is false
   * @throws IllegalArgumentException if the seconds are out of range
   */
  Relay bind(RelayEntry entry, int seconds);

  /** Returns the present time of the clock of {@link Relay#lastToPeerMicros}. */
  long nowMicros();
}
