// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Remembers the URIs whose responses could not be stored, so that their requests go to the origin
 * beside each other and none waits for another in vain.
 */
final class Marks {
  private static final int MOST = 4096;
  private static final long MILLIS = 60_000;

  private final Map<Key, Long> until =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, Long> eldest) {
          return size() > MOST;
        }
      };

  void mark(Key key, long ticks) {
    until.remove(key);
    until.put(key, ticks + MILLIS);
  }

  void unmark(Key key) {
    until.remove(key);
  }

  /** Tells whether a URI is marked. A key whose time has passed is forgotten. */
  boolean isMarked(Key key, long ticks) {
    Long end = until.get(key);
    if (end == null) {
      return false;
    }
    if (ticks >= end) {
      until.remove(key);
      return false;
    }
    return true;
  }
}
