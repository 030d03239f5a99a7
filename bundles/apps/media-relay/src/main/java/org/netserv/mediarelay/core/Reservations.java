// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import java.util.HashMap;
import java.util.Map;
import java.util.random.RandomGenerator;

/** Ports that wait for an Allocate request with their token (RFC 8656, EVEN-PORT). */
final class Reservations {
  /** The time for which a port is held, RFC 8656 section 7.2. */
  static final long LIFE_NANOS = 30_000_000_000L;

  private final RandomGenerator random;
  private final Map<Long, Reservation> byToken = new HashMap<>();

  Reservations(RandomGenerator random) {
    this.random = random;
  }

  /** A port that is taken from its pool for nobody yet. */
  static final class Reservation implements Expiry.Due {
    private final long token;
    private final int family;
    private final int port;
    private final long until;
    private int place = Expiry.NOWHERE;

    private Reservation(long token, int family, int port, long until) {
      this.token = token;
      this.family = family;
      this.port = port;
      this.until = until;
    }

    long token() {
      return token;
    }

    int family() {
      return family;
    }

    int port() {
      return port;
    }

    @Override
    public long due() {
      return until;
    }

    @Override
    public int place() {
      return place;
    }

    @Override
    public void place(int at) {
      place = at;
    }
  }

  Reservation hold(int family, int port, long now) {
    long token = random.nextLong();
    while (token == 0 || byToken.containsKey(token)) {
      token = random.nextLong();
    }
    Reservation held = new Reservation(token, family, port, now + LIFE_NANOS);
    byToken.put(token, held);
    return held;
  }

  Reservation find(long token) {
    return byToken.get(token);
  }

  void remove(Reservation held) {
    byToken.remove(held.token());
  }

  int count() {
    return byToken.size();
  }
}
