// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist;

/** What became of a message (RFC 5971 appendix B.3). */
public enum MessageStatus {
  /** It was given to the network; over an association: to its queue. */
  SENT,
  /** Nobody answered Queries within the limit or the time allowed. */
  NO_RESPONSE,
  /** There is no further node: Endpoint Found, port unreachable, or we are the end of the flow. */
  LAST_NODE,
  /** No messaging association with the attributes wanted could be set up, or it failed. */
  NO_ASSOCIATION,
  /** A peer has answered; the messaging association was not there in the time allowed. */
  ASSOCIATION_LATE,
  /** No routing state, and none can be made in this direction. */
  NO_ROUTE,
  /** The peer, or a node on the way, answered with an Error. */
  REFUSED,
  /** The message does not fit. */
  TOO_LARGE
}
