// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist;

/** The outcome of a message (RFC 5971 appendix B.3). */
public enum MessageStatus {
  /** The message was given to the network, or to the queue of its association. */
  SENT,
  /** No node answered the Queries within the limit or the time allowed. */
  NO_RESPONSE,
  /**
   * The path has no further node: Endpoint Found, port unreachable, or we are the end of the flow.
   */
  LAST_NODE,
  /** A messaging association with the wanted attributes could not be set up, or it failed. */
  NO_ASSOCIATION,
  /** A peer has answered, but the messaging association was not connected in the time allowed. */
  ASSOCIATION_LATE,
  /** Routing state does not exist, and cannot be made in this direction. */
  NO_ROUTE,
  /** The peer, or a node on the way, answered with an Error. */
  REFUSED,
  /** The message does not fit. */
  TOO_LARGE
}
