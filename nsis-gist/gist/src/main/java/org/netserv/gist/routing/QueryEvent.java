// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

/** The events of Querying-SM, with their names in RFC 5971 section 6.2 where it has them. */
enum QueryEvent {
  /** tg_NSLPData; the peer can have it at once. */
  SEND,
  /** tg_NSLPData; the peer can have it at once, but the application doubts the peer. */
  SEND_IN_DOUBT,
  /** tg_NSLPData; the association for it is being connected. */
  SEND_CONNECTING,
  /** tg_NSLPData; it needs an association, and there is none that suits. */
  SEND_UNSUITED,
  /** tg_NSLPData; messages wait until the peer is verified. */
  SEND_HELD,
  /** InvalidateRoutingState, status BAD (appendix B.6). */
  INVALIDATE_BAD,
  /** InvalidateRoutingState, status BAD, urgent. */
  INVALIDATE_BAD_NOW,
  /** InvalidateRoutingState, status TENTATIVE. */
  INVALIDATE_TENTATIVE,
  /** InvalidateRoutingState, status TENTATIVE, urgent. */
  INVALIDATE_TENTATIVE_NOW,
  /** The application wants the peer verified before the next message. */
  VERIFY,
  /** As VERIFY, but the peer was verified lately, or is being verified. */
  VERIFY_NEEDLESS,
  /** SetStateLifetime (appendix B.5). */
  LIFETIME,
  /** SetStateLifetime, zero. */
  GIVEN_UP,

  /** rx_Response, R=0; the transport is chosen. */
  RESPONSE,
  /** rx_Response, R=1; the transport is chosen, and the Confirm is sent. */
  RESPONSE_CONFIRMED,
  /** rx_Response; no transport suits. */
  RESPONSE_UNSUITED,
  /** rx_Response; a NAT that does not know GIST has changed it. */
  RESPONSE_TRANSLATED,
  /** rx_Data of our peer. */
  DATA,
  /** er_NoRSM. */
  NO_STATE,
  /** er_NoRSM; the peer said so too often. */
  NO_STATE_AGAIN,
  /** An Error about the Confirm that was the first of the session by its association. */
  CONFIRM_REFUSED,
  /** As CONFIRM_REFUSED; the peer refused too often. */
  CONFIRM_REFUSED_AGAIN,
  /** As CONFIRM_REFUSED; the session has left that association. */
  CONFIRM_REFUSED_FORMER,
  /** An Error about a Confirm after the first. The peer has state of the first. */
  CONFIRM_REFUSED_LATER,
  /** Endpoint Found or ICMP shows that no node is behind us. */
  END_OF_PATH,
  /** Another Error about our Query. */
  QUERY_REFUSED,
  /** An Error about the length of our Query, which can be shorter. */
  QUERY_TOO_LARGE,
  /** An Error about the length of our Query, which cannot be shorter. */
  QUERY_TOO_LARGE_EVER,
  /** Responding-SM takes the place of this machine. */
  REPLACED,

  /** to_No_Response; the last Query has hardly left. */
  QUERY_QUEUED,
  /** to_No_Response; the last Query did not leave. */
  QUERY_DROPPED,
  /** to_No_Response [!nResp_reached]. */
  NO_RESPONSE,
  /** to_No_Response [nResp_reached], or no request is left; no peer is known. */
  NO_NODE,
  /** to_No_Response [nResp_reached]; a peer is known. */
  PEER_SILENT,
  /** to_Refresh_QNode. */
  REFRESH_DUE,
  /** The validity of the last Response is over. */
  EXPIRED,
  /** to_Inactive_QNode. */
  INACTIVE,
  /** A waiting request is out of time. */
  REQUEST_LATE,
  /** The held messages have waited long enough. */
  HOLD_OVER,

  /** er_MAFailure; no message waits. */
  ASSOCIATION_LOST,
  /** er_MAFailure; messages wait. */
  ASSOCIATION_LOST_WANTED,
  /** er_MAConnect; another try may help. */
  UNCONNECTED,
  /** er_MAConnect; no other try helps. */
  UNCONNECTABLE,
  /** er_MAConnect; TCP may help where TLS did not. */
  WITHOUT_TLS,
  /** The peer is not, or no longer, allowed. */
  REVOKED,

  /** BEGIN, REPEAT, RETRANSMIT: no stack of ours can be offered. */
  NO_STACK,
  /** FLUSH: the next message needs an association that no Query asked for. */
  UNASKED
}
