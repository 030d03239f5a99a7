// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.disk;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;

/** Two threads that a test moves by hand: the disk's, and the event loop. */
public final class Jobs {
  private final Deque<Runnable> disk = new ArrayDeque<>();
  private final Deque<Runnable> loop = new ArrayDeque<>();

  /** Milliseconds of a clock that never goes back. */
  public long ticks;

  public DiskLog.Threads threads() {
    Executor toDisk = disk::add;
    Executor toLoop = loop::add;
    return new DiskLog.Threads(toDisk, toLoop, () -> ticks);
  }

  /** Lets the disk do one thing. Returns false if there is none. */
  public boolean disk() {
    return run(disk);
  }

  /** Lets the event loop do one thing. Returns false if there is none. */
  public boolean loop() {
    return run(loop);
  }

  private static boolean run(Deque<Runnable> jobs) {
    Runnable next = jobs.poll();
    if (next != null) {
      next.run();
    }
    return next != null;
  }

  /** Lets both do all that there is. */
  public void all() {
    while (disk() || loop()) {}
  }

  /** Ends the process: nothing that waits is done any more. */
  public void kill() {
    disk.clear();
    loop.clear();
  }
}
