// SPDX-License-Identifier: Apache-2.0
package org.netserv.packet;

import org.osgi.annotation.versioning.ConsumerType;

/**
 * A packet module. Register it as an OSGi service of this type. The service property {@value #RANK}
 * (an int, default 0) orders modules in the chain, lower first, and equal ranks by age.
 *
 * <p>The container runs modules on one packet thread, so {@link #process} must not block, sleep or
 * lock. The container catches its exceptions, and the packet then goes on as it came. A module that
 * throws three times is taken out of the chain.
 */
@ConsumerType
@FunctionalInterface
public interface PktProcessor {
  /** Service property: the place in the chain. */
  String RANK = "rank";

  /**
   * Decides about one packet.
   *
   * @param packet valid until this method returns; use {@link Packet#retain()} to keep a copy
   *     longer
   * @param decision blank, valid until this method returns
   * @return {@code decision}, filled; null, or a blank one, counts as an error
   */
  Decision process(Packet packet, Decision decision);

  /**
   * Runs a few times with synthetic packets that match the module's filter, so that the module's
   * code is loaded before its first real packet. Another thread calls it, before the module sees
   * that packet. Nothing it does here may be visible outside, and its decision is ignored. The
   * default does nothing.
   */
  default void warmUp(Packet packet, Decision decision) {}
}
