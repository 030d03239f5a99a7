// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import java.nio.ByteBuffer;
import org.netserv.serval.Endpoint;

/** Sends the packets of an endpoint as UDP datagrams. */
public interface Wire {
  /**
   * Offers memory for the next packet, so that it is written where it leaves from.
   *
   * @param most bytes of the packet, at most
   * @return a big-endian buffer with so many bytes from its position on, until the next call; null
   *     for a buffer of the caller
   */
  default ByteBuffer room(int most) {
    return null;
  }

  /**
   * Sends a packet.
   *
   * @param packet from its position to its limit, until this method returns. It may be the buffer
   *     of {@link #room}
   * @param from a local address of the endpoint: the present one, or one from which it has moved
   *     and which may be gone
   * @return false if the packet was not sent
   */
  boolean send(ByteBuffer packet, Endpoint from, Endpoint to);
}
