// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import java.util.EnumSet;
import java.util.Set;
import java.util.function.LongSupplier;
import org.netserv.controller.loop.Loop;
import org.netserv.process.HeapUse;
import org.netserv.process.Overload;
import org.netserv.process.Work;

/** Watches the controller's heap, its loop and its connections. On the loop. */
final class LoadWatch {
  private static final long EVERY = 500;

  /** Tasks that wait for the loop; a task takes well below a millisecond. */
  private static final int TASKS = 4096;

  private final Loop loop;
  private final HeapUse heap = new HeapUse();
  private final Overload overload = new Overload();

  LoadWatch(Loop loop) {
    this.loop = loop;
    overload.gauge("heap-mib", heap::used, heap::limit, EnumSet.allOf(Work.class));
    overload.gauge(
        "loop-tasks",
        loop::waiting,
        () -> TASKS,
        EnumSet.complementOf(EnumSet.of(Work.CONNECTION)));
  }

  /** Adds the open connections of containers to the watched numbers. */
  void containerConnections(LongSupplier open, int most) {
    overload.gauge("container-connections", open, () -> most, Set.of(Work.OVER_SHARE));
  }

  void start() {
    heap.refresh(loop.monotonic());
    overload.tick(loop.monotonic());
    loop.after(EVERY, this::start);
  }

  Overload overload() {
    return overload;
  }
}
