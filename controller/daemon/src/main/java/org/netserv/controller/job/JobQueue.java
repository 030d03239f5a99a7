// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.job;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Chooses the job that runs next. The spawner runs few at a time, and a publisher with servers that
 * hang must not keep the others' bundles waiting. So each publisher has a small share, and they
 * take turns. On the loop.
 */
final class JobQueue {
  /** Jobs at a time, below the spawner's own limit of 16. */
  static final int AT_ONCE = 12;

  static final int AT_ONCE_OF_ONE = 3;

  /** Jobs of one publisher that wait. Further jobs are refused. */
  static final int WAITING = 32;

  private final Map<String, Integer> underWay = new HashMap<>();
  private final Map<String, Deque<Runnable>> waiting = new LinkedHashMap<>();
  private int total;

  /**
   * Starts a job now or when it is its turn. {@link #ended} must follow its end.
   *
   * @return false if too many jobs of this publisher wait already, so that the job will not be
   *     started
   */
  boolean submit(String user, Runnable start) {
    Deque<Runnable> queue = waiting.computeIfAbsent(user, u -> new ArrayDeque<>());
    if (queue.size() >= WAITING) {
      return false;
    }
    queue.add(start);
    next();
    return true;
  }

  void ended(String user) {
    total--;
    underWay.computeIfPresent(user, (u, count) -> count == 1 ? null : count - 1);
    next();
  }

  private void next() {
    while (total < AT_ONCE) {
      String user =
          waiting.keySet().stream()
              .filter(u -> underWay.getOrDefault(u, 0) < AT_ONCE_OF_ONE)
              .findFirst()
              .orElse(null);
      if (user == null) {
        return;
      }
      Deque<Runnable> queue = waiting.remove(user);
      Runnable start = queue.remove();
      if (!queue.isEmpty()) {
        waiting.put(user, queue); // At the end: the others come first now.
      }
      total++;
      underWay.merge(user, 1, Integer::sum);
      start.run();
    }
  }
}
