// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.net;

import io.netty.channel.EventLoop;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.netserv.activecdn.core.DiskShelf;
import org.netserv.activecdn.core.MemoryStore;
import org.netserv.activecdn.core.Time;
import org.netserv.activecdn.core.Why;
import org.netserv.activecdn.disk.DiskLog;
import org.netserv.activecdn.disk.LogDirectory;
import org.netserv.packet.Tally;

/** The store in memory, and the disk below it with its thread. */
final class Stores {
  private static final int QUEUE_PART = 8; // of the memory, for contents that wait for the disk
  private static final int CLOSE_SECONDS = 10;

  final MemoryStore memory;

  private final DiskShelf shelf; // null = no disk
  private final ExecutorService disk; // null = no disk

  /**
   * Opens the stores.
   *
   * @throws IOException if the directory or a file of it cannot be opened
   */
  Stores(Server.Plan plan, EventLoop loop, Time time, Tally<Why> tally) throws IOException {
    Server.Room room = plan.room();
    memory = new MemoryStore(room.memoryBytes(), tally);
    if (room.diskBytes() == 0) {
      LogDirectory.delete(room.directory());
      disk = null;
      shelf = null;
      return;
    }
    disk =
        Executors.newSingleThreadExecutor(
            run -> {
              Thread thread = new Thread(run, "activecdn-disk");
              thread.setDaemon(true);
              return thread;
            });
    try {
      shelf = shelf(plan, new DiskLog.Threads(disk, loop, time::ticks), tally);
    } catch (IOException e) {
      disk.shutdown();
      throw e;
    }
  }

  private DiskShelf shelf(Server.Plan plan, DiskLog.Threads threads, Tally<Why> tally)
      throws IOException {
    InetSocketAddress origin = plan.origin();
    Server.Room room = plan.room();
    return DiskShelf.below(
        memory,
        new LogDirectory<>(room.directory(), origin.getHostString() + ":" + origin.getPort()),
        new DiskLog.Bounds(room.diskBytes(), room.memoryBytes() / QUEUE_PART),
        threads,
        plan.edge(),
        tally);
  }

  /** Lets the disk's thread write all that waits. The event loop calls it. */
  void close() {
    if (shelf != null) {
      shelf.close();
      disk.shutdown();
    }
  }

  /** Waits until everything is written, while the event loop runs on. */
  void awaitClosed() {
    if (disk != null) {
      try {
        disk.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
