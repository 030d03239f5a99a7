// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import org.netserv.packet.Packet;

/**
 * The servers that keep-alives were sent to, at most {@value #MOST}: the filter of a module names
 * few. The packet thread adds one, and any thread reads them.
 */
final class Servers {
  static final int MOST = 4;

  private final Server[] servers = new Server[MOST];
  private volatile int count;

  /**
   * Returns the place of the packet's server, and makes a place for a new one. Returns -1 if there
   * is none left.
   */
  int of(Packet packet) {
    long high = packet.destinationHigh();
    long low = packet.destinationLow();
    int port = packet.destinationPort();
    int known = count;
    for (int i = 0; i < known; i++) {
      if (servers[i].is(high, low, port)) {
        return i;
      }
    }
    if (known == MOST) {
      return -1;
    }
    servers[known] = new Server(high, low, port);
    count = known + 1; // makes the server visible
    return known;
  }

  int count() {
    return count;
  }

  /** Returns the server at a place below {@link #count}. */
  Server get(int place) {
    return servers[place];
  }

  boolean isDead(int place) {
    return place >= 0 && servers[place].state() == ServerState.DEAD;
  }
}
