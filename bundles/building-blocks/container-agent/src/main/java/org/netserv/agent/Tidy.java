// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.netserv.host.PacketPort;

/**
 * Gives back the memory that the start of the container, or of a module, needed for a moment. A
 * full collection lets the virtual machine shrink its heap. The compilers free their memory every
 * five seconds, and that is given back too. The collection stops the packet thread for some
 * milliseconds, so it waits until nothing has been installed for a while.
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
