// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.netserv.controller.log.ModuleKey;

/** Counts how often each module has made its container die lately. */
final class CrashCount {
  static final int LIMIT = 5;
  static final long WITHIN = 600_000;

  private final Map<ModuleKey, Deque<Long>> deaths = new HashMap<>();

  /**
   * Adds one death.
   *
   * @param now monotonic milliseconds
   * @return whether the module has reached {@link #LIMIT} deaths within {@link #WITHIN}
   */
  boolean add(ModuleKey key, long now) {
    Deque<Long> times = deaths.computeIfAbsent(key, k -> new ArrayDeque<>());
    times.addLast(now);
    while (now - times.getFirst() > WITHIN) {
      times.removeFirst();
    }
    return times.size() >= LIMIT;
  }

  void forget(ModuleKey key) {
    deaths.remove(key);
  }
}
