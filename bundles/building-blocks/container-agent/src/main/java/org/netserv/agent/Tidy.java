// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.netserv.host.PacketPort;

/**
 * Gives back the memory that the start of the container, or of a module, needed for a moment. A
 * full collection lets the virtual machine shrink its heap. It stops the packet thread for some
 * milliseconds, so it waits until nothing has been installed for a while.
 *
 * <p>The compilers free their memory every five seconds, and that is given back too: with the
 * collection, and once more behind it, because a new module's code is compiled meanwhile.
 */
final class Tidy {
  private static final long COLLECT_MS = 6000;
  private static final long TRIM_MS = 12_000;

  private final ScheduledExecutorService timer;
  private ScheduledFuture<?> collection;
  private ScheduledFuture<?> trim;

  Tidy(ScheduledExecutorService timer) {
    this.timer = timer;
  }

  synchronized void later() {
    if (collection != null) {
      collection.cancel(false);
      trim.cancel(false);
    }
    collection = timer.schedule(Tidy::collect, COLLECT_MS, TimeUnit.MILLISECONDS);
    trim = timer.schedule(Tidy::trim, TRIM_MS, TimeUnit.MILLISECONDS);
  }

  private static void collect() {
    System.gc();
    trim();
  }

  private static void trim() {
    PacketPort.host().trim();
  }
}
