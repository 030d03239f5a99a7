// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.endpoint;

/** The program behind a service. Called on the thread of the endpoint, it must not block. */
@FunctionalInterface
public interface ServiceHandler {
  /** Returns the program of a new flow, which is open. Null breaks the flow off. */
  FlowHandler accept(DatagramFlow flow);

  /** Takes an unconnected datagram. Its payload is valid until this method returns. */
  default void received(Datagram datagram) {}
}
