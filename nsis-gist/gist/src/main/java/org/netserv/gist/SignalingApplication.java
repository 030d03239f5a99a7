// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist;

/** What GIST calls in a signaling application (RFC 5971 appendix B); never blocks. */
public interface SignalingApplication {
  /** 1 to 65535. */
  int nslpId();

  /** Router alert option values that mark Queries for it, for IPv4 and IPv6. */
  int routerAlert();

  /**
   * A Query came: RecvMessage with Routing-State-Check. The same Query may be shown more than once
   * (retransmission, refresh), so its payload must be harmless when repeated.
   */
  PeeringDecision check(ReceivedMessage query);

  /** RecvMessage: a payload for the application. */
  void received(ReceivedMessage message);

  /** MessageStatus; called once for each request that has a handle. */
  void messageStatus(Object handle, MessageStatus status, String detail);

  void notified(NetworkNotification notification);
}
