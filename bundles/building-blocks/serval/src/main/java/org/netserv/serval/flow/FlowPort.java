// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.flow;

import org.netserv.serval.Endpoint;

/** The surroundings of a flow, which carry out its decisions. No method calls the flow. */
public interface FlowPort {
  /** Sends a control message. SYN, SYN-ACK and handshake ACK carry the transport's header. */
  void send(Outgoing outgoing);

  /** The flow is there. */
  void connected();

  /** The peer sends no more data. */
  void peerClosed();

  /** The peer has broken off. */
  void reset();

  /** The peer does not answer. */
  void silent();

  /** The transport's timer stands still until {@link #thaw}. */
  void freeze();

  /** The transport's timer fires at once. Losses from before do not shrink its window. */
  void thaw();

  /** Data leave from this address from now on. */
  void ownMoved(Endpoint own);

  /** Data go to this address from now on. */
  void peerMoved(Endpoint peer);

  /** The flow is over, and its flowID free. Called once. */
  void forget();
}
