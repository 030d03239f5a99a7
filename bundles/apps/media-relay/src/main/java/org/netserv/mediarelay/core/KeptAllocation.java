// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import java.util.List;

/**
 * An allocation of a UDP client as it is kept over the end of the process. All times are
 * milliseconds since 1970. It has no key and no ticket: the first answer to its client is a new
 * nonce, and credentials are checked as those of anybody.
 *
 * @param transaction last 8 bytes of the transaction id of the Allocate request
 * @param high upper half of the client's address
 * @param low lower half
 * @param port the client's port
 * @param serverPort the relay's port that the client has addressed
 * @param four relayed address of IPv4, null = none
 * @param six relayed address of IPv6, null = none
 * @param user the user who has made it
 * @param ofToken whether a token has made it
 */
public record KeptAllocation(
    long transaction,
    long high,
    long low,
    int port,
    int serverPort,
    Relayed four,
    Relayed six,
    String user,
    boolean ofToken,
    List<Permitted> permissions,
    List<Bound> channels) {
  public KeptAllocation {
    permissions = List.copyOf(permissions);
    channels = List.copyOf(channels);
  }

  /**
   * A relayed address.
   *
   * @param whole whether datagrams leave with the DF bit
   */
  record Relayed(int port, long end, boolean whole) {}

  /** A permission of a peer's address. */
  record Permitted(long high, long low, long end) {}

  /** A channel bound to a peer. */
  record Bound(int number, long high, long low, int port, long end) {}

  /** Returns the relayed address of a family, null = none. */
  Relayed relayed(int family) {
    return family == 4 ? four : six;
  }
}
