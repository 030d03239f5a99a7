// SPDX-License-Identifier: Apache-2.0
package org.netserv.packet;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counters of the refusals of one {@link PacketCursor}: malformed packets, and payloads that did
 * not fit. One thread counts, any thread reads.
 */
public final class PacketCounters {
  private final Tally<Malformed> malformed = new Tally<>(Malformed.class);
  private final AtomicLong tooLong = new AtomicLong();
  private final AtomicLong noRoom = new AtomicLong();

  /** Counters that are all 0. */
  public PacketCounters() {}

  /** Returns the number of packets that were refused for this reason. */
  public long refused(Malformed why) {
    return malformed.get(why);
  }

  /** Returns the number of payloads refused because the packet would exceed its MTU. */
  public long refusedTooLong() {
    return tooLong.getOpaque();
  }

  /**
   * Returns the number of payloads refused because the slot has no room, or the packet is a
   * fragment.
   */
  public long refusedNoRoom() {
    return noRoom.getOpaque();
  }

  void malformed(Malformed why) {
    malformed.count(why);
  }

  void tooLong() {
    count(tooLong);
  }

  void noRoom() {
    count(noRoom);
  }

  /** Adds 1. The counter has one writer, so no atomic addition is needed. */
  private static void count(AtomicLong counter) {
    counter.setOpaque(counter.getPlain() + 1);
  }
}
