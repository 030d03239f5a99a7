// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.port;

/** The clock and the timers of the one thread on which all of GIST runs. */
public interface Timers {
  /** Milliseconds of a clock that does not step; only differences mean something. */
  long now();

  /**
   * Runs a task later, on the GIST thread.
   *
   * @param delayMillis 0 or more
   */
  Timer schedule(long delayMillis, Runnable task);

  /** A timer that was set. */
  interface Timer {
    /** Cancels the timer. Does nothing when it has fired or was cancelled. */
    void cancel();
  }
}
