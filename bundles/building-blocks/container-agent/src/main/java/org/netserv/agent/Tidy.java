// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.netserv.host.PacketPort;

/**
 * Gives back the memory that the start of the container, or of a module, needed for a moment: a
 * full collection, with which the virtual machine shrinks its heap, and what its compilers have
 * freed, which they do every five seconds. It stops the packet thread for some milliseconds, so it
 * waits until nothing has been installed for a while.
 */
final class Tidy {
  private static final long MILLIS = 6000;

  private final ScheduledExecutorService timer;
  private ScheduledFuture<?> next;

  Tidy(ScheduledExecutorService timer) {
    this.timer = timer;
  }

  synchronized void later() {
    if (next != null) {
      next.cancel(false);
    }
    next = timer.schedule(Tidy::run, MILLIS, TimeUnit.MILLISECONDS);
  }

  private static void run() {
    System.gc();
    PacketPort.host().trim();
  }
}
