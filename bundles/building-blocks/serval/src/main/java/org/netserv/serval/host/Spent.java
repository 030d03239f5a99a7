// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.host;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The flowIDs that acknowledgements of answers without state have used. A copy of such an
 * acknowledgement makes no second flow as long as its hash counts. Each entry has cost its sender a
 * whole handshake.
 */
final class Spent {
  private final Map<Integer, Long> until = new LinkedHashMap<>();

  int size() {
    return until.size();
  }

  boolean has(int flowId) {
    return !until.isEmpty() && until.containsKey(flowId);
  }

  void add(int flowId, long end) {
    until.put(flowId, end);
  }

  /** Forgets those whose time is over. All last equally long, so the oldest come first. */
  void expire(long now) {
    if (until.isEmpty()) {
      return;
    }
    Iterator<Long> ends = until.values().iterator();
    while (ends.hasNext() && ends.next() <= now) {
      ends.remove();
    }
  }
}
