// SPDX-License-Identifier: Apache-2.0
package org.netserv.process;

/** The budget of PROBEs by strangers, which both Java daemons of a node count by. */
public final class StrangerRate {
  /** Milliseconds in which PROBEs are counted. */
  public static final long WINDOW = 10_000;

  /** All sources together may ask as much as this many of them may ask alone. */
  private static final int SOURCES = 100;

  private static final long MINUTE = 60_000;

  private StrangerRate() {}

  /** PROBEs of all sources in a {@link #WINDOW}, where one source may send so many a minute. */
  public static int budget(int perMinute) {
    return (int)
        Math.min(Integer.MAX_VALUE / 4, Math.max(1, (long) perMinute * SOURCES * WINDOW / MINUTE));
  }
}
