// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist;

import org.netserv.gist.wire.Mri;
import org.netserv.gist.wire.SessionId;

/**
 * NetworkNotification (RFC 5971 appendix B.4).
 *
 * @param session null: all sessions of this flow
 * @param status of a routing status change, else null
 * @param peer of a routing status change to GOOD and of a route deletion; else null
 * @param reason in words, for a log
 */
public record NetworkNotification(
    int nslpId,
    Mri mri,
    SessionId session,
    Kind kind,
    RoutingStatus status,
    SiiHandle peer,
    String reason) {
  /** The events of appendix B.4. */
  public enum Kind {
    /**
     * This is the last node of the path that has the application; {@code reason} says how we know.
     */
    LAST_NODE,
    ROUTING_STATUS_CHANGE,
    ROUTE_DELETION,
    NODE_AUTHORISATION_CHANGE,
    COMMUNICATION_FAILURE
  }
}
