// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.loop;

import java.util.concurrent.Executor;

/**
 * The one thread that owns all state of the controller, and its two clocks. Socket and file threads
 * hand their news over with {@link #execute}. Nothing that runs here waits for a peer. Tests drive
 * it with virtual time.
 */
public interface Loop extends Executor {

  /** Milliseconds since 1970-01-01 UTC. It may step in both directions. */
  long wall();

  /** Milliseconds since some fixed point. It never steps. */
  long monotonic();

  /** Tasks of {@link #execute} that have not begun. Any thread may ask. */
  int waiting();

  /**
   * Runs {@code task} on the loop once {@code millis} of monotonic time have passed.
   *
   * @param millis 0 or more
   */
  Timer after(long millis, Runnable task);

  /** A task that waits for its time. */
  interface Timer {
    /**
     * Cancels the task. Called on the loop, after which the task does not run. Another call, or a
     * late call, does nothing.
     */
    void cancel();
  }
}
