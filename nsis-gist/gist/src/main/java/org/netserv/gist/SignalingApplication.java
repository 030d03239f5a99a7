// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist;

/** A signaling application as GIST calls it (RFC 5971 appendix B). Its methods never block. */
public interface SignalingApplication {
  /** Returns the NSLPID, 1 to 65535. */
  int nslpId();

  /**
   * Returns the router alert option value, for IPv4 and IPv6, that marks Queries for the
   * application.
   */
  int routerAlert();

  /**
   * Decides about a Query that came (RecvMessage with Routing-State-Check). The same Query may be
   * shown more than once (retransmission, refresh), so its payload must be harmless when repeated.
   */
  PeeringDecision check(ReceivedMessage query);

  /** Takes a payload for the application (RecvMessage). */
  void received(ReceivedMessage message);

  /**
   * Takes the outcome of a message (MessageStatus). Called once for each request that has a handle.
   */
  void messageStatus(Object handle, MessageStatus status, String detail);

  void notified(NetworkNotification notification);
}
