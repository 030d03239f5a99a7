// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import java.util.Arrays;

/**
 * Finds the allocation of a UDP client by its address, port and the relay's port. Open addressing
 * with linear probing; a lookup allocates nothing. The seed keeps strangers from choosing addresses
 * that meet in one place.
 */
public final class AllocationTable {
  private static final int FIRST_SIZE = 256;

  private final long seed;
  private Allocation[] places = new Allocation[FIRST_SIZE];
  private int count;

  /**
   * @param seed random
   */
  public AllocationTable(long seed) {
    this.seed = seed;
  }

  /** Returns the allocation of a 5-tuple, null = it has none. */
  public Allocation find(long high, long low, int port, int serverPort) {
    int mask = places.length - 1;
    int at = hash(high, low, port, serverPort) & mask;
    for (Allocation here = places[at]; here != null; here = places[at]) {
      Client client = here.client();
      if (client.low() == low
          && client.port() == port
          && client.high() == high
          && client.serverPort() == serverPort) {
        return here;
      }
      at = (at + 1) & mask;
    }
    return null;
  }

  /** Adds an allocation whose client is in no other one. */
  void add(Allocation allocation) {
    if (2 * (count + 1) > places.length) {
      grow();
    }
    int at = home(allocation);
    while (places[at] != null) {
      at = (at + 1) & (places.length - 1);
    }
    places[at] = allocation;
    count++;
  }

  private void grow() {
    Allocation[] old = places;
    places = new Allocation[2 * old.length];
    count = 0;
    Arrays.stream(old).filter(here -> here != null).forEach(this::add);
  }

  /** Removes an allocation, before its client changes. */
  void remove(Allocation allocation) {
    int mask = places.length - 1;
    int at = home(allocation);
    while (places[at] != allocation) {
      if (places[at] == null) {
        return;
      }
      at = (at + 1) & mask;
    }
    count--;
    int hole = at;
    places[hole] = null;
    for (int next = (hole + 1) & mask; places[next] != null; next = (next + 1) & mask) {
      int home = home(places[next]);
      if (((next - home) & mask) >= ((next - hole) & mask)) {
        places[hole] = places[next];
        places[next] = null;
        hole = next;
      }
    }
  }

  int count() {
    return count;
  }

  private int home(Allocation allocation) {
    Client client = allocation.client();
    return hash(client.high(), client.low(), client.port(), client.serverPort())
        & (places.length - 1);
  }

  private int hash(long high, long low, int port, int serverPort) {
    return Ip.hash(high, low, (port << Short.SIZE) | serverPort, seed);
  }
}
