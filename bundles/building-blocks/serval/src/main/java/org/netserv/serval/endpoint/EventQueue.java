// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import java.util.ArrayDeque;
import java.util.Queue;

/**
 * The events of programs. They wait until the tables have done their work, because a program may
 * call them then.
 */
final class EventQueue {
  private final Queue<Runnable> events = new ArrayDeque<>();
  private int depth;

  /** Keeps an event until the outermost call ends. */
  void later(Runnable event) {
    events.add(event);
  }

  /** Begins a call that may be inside another one. */
  void enter() {
    depth++;
  }

  /** Ends a call. The outermost one gives the program its events. */
  void leave() {
    try {
      while (depth == 1 && !events.isEmpty()) {
        events.remove().run();
      }
    } finally {
      depth--;
    }
  }
}
