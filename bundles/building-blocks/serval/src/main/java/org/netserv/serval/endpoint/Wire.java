// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import java.nio.ByteBuffer;
import org.netserv.serval.Endpoint;

/** Sends the packets of an endpoint as UDP datagrams. */
public interface Wire {
  /**
   * Sends a packet.
   *
   * @param packet from its position to its limit, until this method returns
   * @param from a local address of the endpoint: the present one, or one from which it has moved
   *     and which may be gone
   * @return false if the packet was not sent
   */
  boolean send(ByteBuffer packet, Endpoint from, Endpoint to);
}
