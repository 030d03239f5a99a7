// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;

/**
 * The relay's threads as client legs and peers' TCP connections see them.
 *
 * <pre>
 *   packet thread    UDP sockets in batches; timers; sends to every kind of client
 *   stream thread    a selector of the JDK: TCP and TLS clients, TCP peers
 *   helpers          long tasks, such as those of a TLS handshake
 * </pre>
 *
 * <p>The state of the relay belongs to whoever holds its lock. The packet thread holds it for a
 * whole batch, so it is free most of the time, and no packet pays for it. Each thread decrypts and
 * waits without it.
 */
public interface Loop {
  /** Handles a channel that is ready, on the stream thread, without the lock. */
  interface Ready {
    /**
     * Takes what the channel has. An exception of any kind closes the channel, is counted, and ends
     * nothing else.
     */
    void ready(SelectionKey key) throws IOException;
  }

  /** Timers that have not run can be cancelled. */
  interface Timer {
    void cancel();
  }

  /**
   * Registers a channel, which must not block. From any thread.
   *
   * @param operations of {@link SelectionKey}
   */
  void register(SelectableChannel channel, int operations, Ready ready) throws IOException;

  /** Changes the operations of a registered channel. From any thread. */
  void interest(SelectableChannel channel, int operations);

  /** Runs a task with the lock, on the calling thread. A task may call this again. */
  void locked(Runnable task);

  /** Runs a long task on a helper thread, without the lock. From any thread. */
  void help(Runnable task);

  /** Runs a task with the lock on the packet thread, some milliseconds late at most. */
  Timer at(long nanoTime, Runnable task);

  /** Returns the time. {@link System#nanoTime} in the real loop. */
  long nanoTime();
}
