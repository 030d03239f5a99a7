// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.registration;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import org.netserv.serval.Endpoint;

/**
 * The registrations of a router, by handle, by the one that they replace, and by their end.
 * Bounded.
 */
final class HeldRegistrations {
  private final int most;
  private final Shares places;
  private final Map<Long, HeldRegistration> byHandle = new HashMap<>();
  private final Map<HeldRegistration.Key, HeldRegistration> byKey = new HashMap<>();
  private final TreeSet<HeldRegistration> ends =
      new TreeSet<>(
          (one, other) -> {
            int order = Long.compare(one.until, other.until);
            return order != 0 ? order : Long.compare(one.handle, other.handle);
          });

  HeldRegistrations(int most) {
    this.most = most;
    places = new Shares(most);
  }

  int size() {
    return byHandle.size();
  }

  HeldRegistration get(long handle) {
    return byHandle.get(handle);
  }

  HeldRegistration get(HeldRegistration.Key key) {
    return byKey.get(key);
  }

  /** Tells whether a host may have no further registration. */
  boolean isFull(Endpoint host) {
    return byHandle.size() >= most || places.isSpent(host);
  }

  /** Puts a registration into the place of the former one of the same key, prefix and host. */
  void put(HeldRegistration made) {
    HeldRegistration former = byKey.get(made.key);
    if (former != null) {
      remove(former);
    }
    byHandle.put(made.handle, made);
    byKey.put(made.key, made);
    ends.add(made);
    places.add(made.key.host());
  }

  void remove(HeldRegistration former) {
    byHandle.remove(former.handle);
    byKey.remove(former.key);
    ends.remove(former);
    places.remove(former.key.host());
  }

  /** Gives a registration another end. */
  void prolong(HeldRegistration there, long until) {
    ends.remove(there);
    there.until = until;
    ends.add(there);
  }

  /** Forgets the registrations that have no rule any longer. */
  void expire(long now) {
    while (!ends.isEmpty() && ends.first().until <= now) {
      remove(ends.first());
    }
  }
}
