// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.net;

/** Looks at the time now and then, on the event loop. */
interface Swept {
  /**
   * Ends everything that has waited for too long.
   *
   * @param now milliseconds of the edge's ticks
   */
  void sweep(long now);

  /** Ends at once. */
  void close();
}
