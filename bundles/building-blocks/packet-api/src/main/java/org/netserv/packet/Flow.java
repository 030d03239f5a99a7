// SPDX-License-Identifier: Apache-2.0
package org.netserv.packet;

import org.osgi.annotation.versioning.ProviderType;

/**
 * What the kernel knows of one flow, or of all packets that one count is about. A view that {@link
 * Flows} re-points for each of them: valid until the call that handed it over returns. All its
 * numbers are of one instant.
 *
 * <p>Addresses and ports are those of the packets as they arrive, before any module or rewrite
 * changes them. In a count, what its filter does not tell apart is 0.
 */
@ProviderType
public interface Flow {
  /** How it stands with a flow. */
  enum State {
    /** The kernel decides its packets now. */
    OFFLOADED,
    /** It had no packet for 30 seconds; the next one comes to the modules again. */
    ENDED_IDLE,
    /** The seconds that were asked for are over. */
    ENDED_TIME,
    /** No filter of the publisher's is about it any more. */
    ENDED_REVOKED,
    /** Not a flow: packets that a filter only counts. */
    COUNTED
  }

  State state();

  /**
   * Number of its record, from 0 among flows as among counts. A count keeps it while the filter
   * that makes it stands.
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
   * When the last of them came: microseconds of the monotonic clock, of which {@link
   * Packet#arrivalMicros()} has the low 32 bits. 0 = none yet.
   */
  long lastMicros();
}
