// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Gives back the heap that the start of the container, or of a module, needed for a moment: a full
 * collection, with which the virtual machine shrinks its heap. It stops the packet thread for some
 * milliseconds, so it waits until nothing has been installed for a while.
 */
final class Tidy {
  private static final long MILLIS = 2000;

  private final ScheduledExecutorService timer;
  private ScheduledFuture<?> next;

  Tidy(ScheduledExecutorService timer) {
    this.timer = timer;
  }

  synchronized void later() {
    if (next != null) {
      next.cancel(false);
    }
    next = timer.schedule(System::gc, MILLIS, TimeUnit.MILLISECONDS);
  }
}
