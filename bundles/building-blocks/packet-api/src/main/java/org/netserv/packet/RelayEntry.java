// SPDX-License-Identifier: Apache-2.0
package org.netserv.packet;

import java.net.InetSocketAddress;

/**
 * One channel of a TURN allocation over UDP (RFC 8656, section 12). It is both directions together:
 * ChannelData of the client that goes to the peer, and datagrams of the peer that go to the client.
 *
 * <pre>
 *   client --- ChannelData ---> server | relayed --- data ---> peer
 * </pre>
 *
 * <p>Client and server have the same address family, and so have relayed address and peer. The two
 * families may differ. IPv6 scopes are ignored.
 *
 * @param client the client's address and port, as the packets of the client arrive at the node
 * @param server the address and port of the node to which the client sends
 * @param channel 0x4000 to 0x7fff: above 0x4fff are numbers of RFC 5766 alone
 * @param relayed the relayed transport address, an address of the node
 * @param peer the peer's address and port
 */
public record RelayEntry(
    InetSocketAddress client,
    InetSocketAddress server,
    int channel,
    InetSocketAddress relayed,
    InetSocketAddress peer) {

  /** The lowest number of a channel. */
  public static final int CHANNEL_FIRST = 0x4000;

  /** The highest number of a channel. */
  public static final int CHANNEL_LAST = 0x7fff;

  /**
   * Checks the entry.
   *
   * @throws IllegalArgumentException if an address is unresolved, a port is 0, the channel is out
   *     of range, or the families of one leg differ; the message names the field
   */
  public RelayEntry {
    check("client", client);
    check("server", server);
    check("relayed", relayed);
    check("peer", peer);
    if (channel < CHANNEL_FIRST || channel > CHANNEL_LAST) {
      throw new IllegalArgumentException("channel: 0x" + Integer.toHexString(channel));
    }
    sameFamily("server", client, server);
    sameFamily("peer", relayed, peer);
  }

  private static void check(String field, InetSocketAddress address) {
    if (address.isUnresolved() || address.getPort() == 0) {
      throw new IllegalArgumentException(field + ": " + address);
    }
  }

  private static void sameFamily(String field, InetSocketAddress one, InetSocketAddress other) {
    if (one.getAddress().getAddress().length != other.getAddress().getAddress().length) {
      throw new IllegalArgumentException(field + ": not of the family of " + one);
    }
  }
}
