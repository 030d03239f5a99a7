// SPDX-License-Identifier: Apache-2.0
package org.netserv.packet;

import org.osgi.annotation.versioning.ConsumerType;

/**
 * A packet module. Register it as an OSGi service of this type; the service property {@value #RANK}
 * (an int, default 0) orders modules in the chain, lower first, and equal ranks by age.
 *
 * <p>The container runs modules on one packet thread: {@link #process} must not block, sleep or
 * lock. What it throws is caught; the packet then goes on as it came, and a module that throws
 * three times is taken out of the chain.
 */
@ConsumerType
@FunctionalInterface
public interface PktProcessor {
  /** Service property: the place in the chain. */
  String RANK = "rank";

  /**
   * Decides about one packet.
   *
   * @param packet valid until this method returns; {@link Packet#retain()} copies what is needed
   *     longer
   * @return what happens to the packet; null counts as an error
   */
  Verdict process(Packet packet);

  /**
   * Called some dozen times with synthetic packets that match the module's filter, on another
   * thread and before the module sees its first real packet, so that its code is loaded by then.
   * Nothing it does here may be visible outside. The default does nothing.
   */
  default void warmUp(Packet packet) {}
}
