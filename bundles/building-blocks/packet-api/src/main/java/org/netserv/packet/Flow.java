// SPDX-License-Identifier: Apache-2.0
package org.netserv.packet;

import org.osgi.annotation.versioning.ProviderType;

/**
 * The kernel's record of one flow, or of all packets of one count. A view that {@link Flows}
 * re-points for each of them. It is valid until the call that handed it over returns. All its
 * numbers are of one instant.
 *
 * <p>Addresses and ports describe the packets as they arrive, before any module or rewrite changes
 * them. In a count, a field that its filter does not tell apart is 0.
 */
@ProviderType
public interface Flow {
  /** The state of a flow. */
  enum State {
    /** The kernel decides its packets now. */
    OFFLOADED,
    /** The flow had no packet for 30 seconds. Its next packet comes to the modules again. */
    ENDED_IDLE,
    /** The seconds that were asked for are over. */
    ENDED_TIME,
    /** The publisher has no filter for the flow any more. */
    ENDED_REVOKED,
    /** Not a flow: packets that a filter only counts. */
    COUNTED
  }

  State state();

  /**
   * Returns the number of the record. Flows and counts are numbered apart, each from 0. A count
   * keeps its number while its filter stands.
   */
  int place();

  /** 4 or 6. */
  int family();

  /** Protocol number, as {@link Packet#protocol()}. */
  int protocol();

  /** Upper half of the source address; IPv4 addresses as ::ffff:a.b.c.d. */
  long sourceHigh();

  /** Lower half of the source address. */
  long sourceLow();

  /** Upper half of the destination address. */
  long destinationHigh();

  /** Lower half of the destination address. */
  long destinationLow();

  /** 0-65535, 0 without ports. */
  int sourcePort();

  /** 0-65535, 0 without ports. */
  int destinationPort();

  /** TTL or hop limit of the packets of a count by {@code ttl}, else 0. */
  int ttl();

  /** Packets that the kernel has decided, or counted. */
  long packets();

  /** Bytes of IP of these packets. */
  long bytes();

  /**
   * Returns the arrival time of the last packet, in microseconds of the monotonic clock. {@link
   * Packet#arrivalMicros()} has the low 32 bits of that clock. 0 = no packet yet.
   */
  long lastMicros();
}
