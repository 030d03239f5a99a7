// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

/**
 * An address of the node with a range of ports, which the policy has given to the module. The relay
 * announces it in XOR-RELAYED-ADDRESS.
 *
 * @param high upper half of the address, as clients and peers see it
 * @param low lower half
 * @param first first port, 1 to 65535
 * @param last last port
 */
public record RelayedRange(long high, long low, int first, int last) {
  /**
   * @throws IllegalArgumentException if the ports are no range
   */
  public RelayedRange {
    if (first < 1 || last > 0xffff || first > last) {
      throw new IllegalArgumentException("not a range of ports: " + first + "-" + last);
    }
  }

  /** Returns 4 or 6. */
  public int family() {
    return Ip.family(high, low);
  }

  public boolean contains(int port) {
    return port >= first && port <= last;
  }
}
