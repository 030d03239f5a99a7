// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.ncm;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Remembers the last verified messages, so that a copy of one is not counted again. */
final class CountedOnce {
  private static final int MOST = 4096;

  private final Set<String> messages =
      Collections.newSetFromMap(
          new LinkedHashMap<>() {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
              return size() > MOST;
            }
          });

  /** Remembers a message. Returns false if it is a copy of one that is remembered. */
  boolean first(String message) {
    return messages.add(message);
  }

  /** Forgets a message that was not counted after all. */
  void forget(String message) {
    messages.remove(message);
  }
}
