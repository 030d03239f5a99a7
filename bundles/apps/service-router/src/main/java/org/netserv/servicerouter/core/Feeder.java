// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.core;

import java.nio.ByteBuffer;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;

/**
 * Gives rules to the table of a router, or tells others of the router's rules. All calls are on the
 * thread of the router. Time is a number of milliseconds that never goes backwards.
 */
public interface Feeder {
  /**
   * An unconnected datagram to the router's own serviceID.
   *
   * @param from the serviceID of its source
   * @param bytes big-endian
   * @param first index of the payload
   * @param stop index behind the payload
   * @param sender address of its source, without routers between
   */
  record Payload(ServiceId from, ByteBuffer bytes, int first, int stop, Endpoint sender) {}

  /** The prefixes that this router may tell others are not those of before. */
  default void announced(Announcements announcements, long now) {}

  /**
   * Takes a payload.
   *
   * @return false if it is none for this feeder
   */
  default boolean take(Payload payload, long now) {
    return false;
  }

  /** A packet to this serviceID waits because of a DELAY. */
  default void wanted(ServiceId id, long now) {}

  /** Does all that is due. */
  default void tick(long now) {}

  /**
   * Ends.
   *
   * @param forGood tells whether no other router follows in the place of this one
   */
  default void end(boolean forGood, long now) {}
}
