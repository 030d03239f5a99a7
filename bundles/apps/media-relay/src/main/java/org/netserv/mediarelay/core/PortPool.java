// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import java.util.random.RandomGenerator;

/**
 * The free ports of one range, in no order. Each free port is equally likely to be next, so that
 * nobody can predict a relayed port (RFC 6056). Taking and returning one takes constant time.
 */
final class PortPool {
  private static final int TRIES = 64;
  private static final int NONE = -1;

  private final int first;
  private final int[] free; // the first `count` are free ports
  private final int[] place; // where a port stands in free; NONE = taken
  private final RandomGenerator random;
  private int count;

  /**
   * @param first first port, 1 to 65535
   * @param last last port, at least first
   */
  PortPool(int first, int last, RandomGenerator random) {
    this.first = first;
    this.random = random;
    count = last - first + 1;
    free = new int[count];
    place = new int[count];
    for (int i = 0; i < count; i++) {
      free[i] = first + i;
      place[i] = i;
    }
  }

  int free() {
    return count;
  }

  int size() {
    return place.length;
  }

  boolean contains(int port) {
    return port >= first && port < first + place.length;
  }

  /** Takes any port. Returns -1 if there is none. */
  int take() {
    return count == 0 ? NONE : take(free[random.nextInt(count)]);
  }

  /**
   * Takes an even port.
   *
   * @param pair whether the next port must be free, too, and is taken with it
   * @return the even port, -1 if there is none
   */
  int takeEven(boolean pair) {
    for (int i = 0; i < TRIES && count > 0; i++) {
      int port = free[random.nextInt(count)] & ~1;
      if (fits(port, pair)) {
        return takeEven(port, pair);
      }
    }
    int from = count == 0 ? 0 : random.nextInt(place.length);
    for (int i = 0; i < place.length; i++) {
      int port = first + (from + i) % place.length;
      if ((port & 1) == 0 && fits(port, pair)) {
        return takeEven(port, pair);
      }
    }
    return NONE;
  }

  private int takeEven(int port, boolean pair) {
    take(port);
    if (pair) {
      take(port + 1);
    }
    return port;
  }

  private boolean fits(int port, boolean pair) {
    return isFree(port) && (!pair || isFree(port + 1));
  }

  private boolean isFree(int port) {
    return contains(port) && place[port - first] != NONE;
  }

  private int take(int port) {
    int at = place[port - first];
    int moved = free[--count];
    free[at] = moved;
    place[moved - first] = at;
    place[port - first] = NONE;
    return port;
  }

  /** Takes this port. Returns false if it is no free port of the range. */
  boolean claim(int port) {
    if (!isFree(port)) {
      return false;
    }
    take(port);
    return true;
  }

  /** Returns a port that was taken. A port that is free already stays so. */
  void give(int port) {
    if (contains(port) && place[port - first] == NONE) {
      free[count] = port;
      place[port - first] = count++;
    }
  }
}
