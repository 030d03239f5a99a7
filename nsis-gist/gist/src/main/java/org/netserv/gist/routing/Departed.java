// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Responding state that was removed a moment ago, with the time of its last Confirm. A replayed
 * Confirm therefore cannot bring the state back while its cookie is still good. Bounded. Only state
 * of a completed handshake gets in.
 */
final class Departed {
  private static final int MAX = 4096;

  private final Map<RoutingKey, Integer> confirmed =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<RoutingKey, Integer> eldest) {
          return size() > MAX;
        }
      };

  void add(RoutingKey key, int made) {
    confirmed.remove(key);
    confirmed.put(key, made);
  }

  /** Returns whether a cookie of that time was used, or is older than a cookie that was used. */
  boolean stale(RoutingKey key, int made, Cookies cookies, long now) {
    Integer last = confirmed.get(key);
    return last != null && cookies.notAfter(made, last, now);
  }

  /** Forgets a state that is back. */
  void remove(RoutingKey key) {
    confirmed.remove(key);
  }

  int size() {
    return confirmed.size();
  }
}
