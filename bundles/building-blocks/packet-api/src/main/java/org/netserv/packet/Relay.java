// SPDX-License-Identifier: Apache-2.0
package org.netserv.packet;

import org.osgi.annotation.versioning.ProviderType;

/**
 * A channel that a module has given to the kernel, by {@link Relays#bind}. It is the module's until
 * {@link #unbind}.
 *
 * <pre>
 *   ASKED --> ACTIVE --> ENDED --refresh--> ASKED
 *     |                                       ^
 *     +-----> REFUSED ----------refresh-------+
 * </pre>
 *
 * <p>While the relay is not {@link State#ACTIVE}, all packets of the channel come to the module's
 * own sockets. So do some packets of an active relay: each packet about which the kernel is not
 * sure, and one packet of each direction about every 15 seconds, which keeps the firewall's state
 * of these sockets alive. The module relays such a packet itself, as if there were no kernel.
 *
 * <p>The numbers are at most 0.2 s old. They begin with {@link Relays#bind}, never go back, and do
 * not contain packets that the module has relayed itself. Reading allocates nothing and takes no
 * lock.
 *
 * <p>When a container dies, the kernel goes on with its relays for three seconds. If a module binds
 * the same channel again within that time, no packet is lost, and the numbers begin with what was
 * relayed since the container's end.
 *
 * <p>{@link #refresh} and {@link #unbind} may be called by any thread. The other methods may be
 * called by one thread at a time.
 */
@ProviderType
public interface Relay {
  /** The state of a relay. */
  enum State {
    /**
     * The node has not answered yet. It takes 0.2 s at most, unless bpfd is being started again.
     */
    ASKED,
    /** The kernel relays the packets. */
    ACTIVE,
    /** The node has refused; {@link Relay#refusal} has the reason. */
    REFUSED,
    /**
     * The kernel relays no more: the seconds are over, the node's filters, addresses or fast path
     * have changed, or {@link Relay#unbind} was called.
     */
    ENDED
  }

  RelayEntry entry();

  State state();

  /**
   * Returns the name of the reason why the node has refused, by the names of {@code
   * docs/protocols/bpfd.md}, for example {@code peer} or {@code quota}. Empty unless {@link
   * State#REFUSED}.
   */
  String refusal();

  /**
   * Lets the relay live for so many seconds from now on. If it is refused or ended, asks for it
   * again. Returns at once.
   *
   * @param seconds 1 to 65535
   * @throws IllegalArgumentException if the seconds are out of range
   * @throws IllegalStateException after {@link #unbind}
   */
  void refresh(int seconds);

  /**
   * Takes the relay out of the kernel, within 0.2 s, and gives its place back. A second call does
   * nothing. A relay of a bundle that stops is unbound, too.
   */
  void unbind();

  /** Packets of the client that the kernel has sent to the peer. */
  long packetsToPeer();

  /** Bytes of data in these packets, without headers of IP, UDP and ChannelData. */
  long bytesToPeer();

  /**
   * Returns the time of the last of these packets, in microseconds of the monotonic clock ({@link
   * Relays#nowMicros}). 0 = there was none.
   */
  long lastToPeerMicros();

  /** Packets of the peer that the kernel has sent to the client. */
  long packetsToClient();

  /** Bytes of data in these packets, without headers of IP, UDP and ChannelData. */
  long bytesToClient();

  /** Returns the time of the last of these packets, as {@link #lastToPeerMicros}. */
  long lastToClientMicros();
}
