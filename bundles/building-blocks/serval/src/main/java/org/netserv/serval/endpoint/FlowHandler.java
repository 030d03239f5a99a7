// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

import java.nio.ByteBuffer;

/** The program at one end of a flow. Called on the thread of the endpoint, it must not block. */
@FunctionalInterface
public interface FlowHandler {
  /** The flow is open. */
  default void connected(DatagramFlow flow) {}

  /**
   * Takes a datagram.
   *
   * @param payload from its position to its limit, until this method returns
   */
  void received(DatagramFlow flow, ByteBuffer payload);

  /** One end has another address, and datagrams take the new way. */
  default void moved(DatagramFlow flow) {}

  /** The flow is closed. Called once, and nothing follows. */
  default void closed(DatagramFlow flow, FlowEnd end) {}
}
