// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import java.nio.ByteBuffer;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;

/**
 * An unconnected datagram. Nothing proves its source.
 *
 * @param binding the service to which it came
 * @param source serviceID of the sender, null if the sender has none
 * @param from address of the sender
 * @param payload from its position to its limit, until the handler returns
 */
public record Datagram(Binding binding, ServiceId source, Endpoint from, ByteBuffer payload) {
  /**
   * Sends a datagram back to the address of the sender.
   *
   * @return false if it was refused, or the sender has no serviceID
   */
  public boolean answer(ByteBuffer reply) {
    return source != null && binding.send(source, from, reply);
  }
}
