// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.host;

import org.netserv.serval.Endpoint;
import org.netserv.serval.flow.FlowPort;
import org.netserv.serval.flow.Outgoing;

/** The program that listens on a socket of the service table. No method calls the table. */
public interface Listener {
  /**
   * Makes the surroundings of a flow. {@link FlowTable#flow} returns the flow after the packet.
   *
   * @return null if the program takes no flow now. The SYN is dropped, and the client tries again
   */
  FlowPort open(Endpoint client);

  /**
   * Sends a SYN-ACK for which nobody keeps state. The transport's header in it has to be a function
   * of the message, because the next message of the client is all that is left.
   */
  void answer(Outgoing synAck);
}
