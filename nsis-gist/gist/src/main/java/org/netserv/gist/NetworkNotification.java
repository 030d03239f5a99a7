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
  /** Reason of LAST_NODE: we are the end of the flow. */
  public static final String ENDPOINT = "endpoint";

  /** Reason of LAST_NODE: the end of the flow has nobody at port 270 (ICMP). */
  public static final String PORT_UNREACHABLE = "port unreachable";

  /** Reason of LAST_NODE: the end of the flow has GIST, but not this application. */
  public static final String ENDPOINT_FOUND = "endpoint found";

  /** Reason of LAST_NODE: nobody answered Queries within the limit, or the time allowed. */
  public static final String NO_RESPONSE = "no response";

  /** The events of appendix B.4. */
  public enum Kind {
    /**
     * This is the last node of the path that has the application; {@code reason} is one of the four
     * constants; the status of the messages that waited, NO_RESPONSE or LAST_NODE, has it as its
     * detail.
     */
    LAST_NODE,
    ROUTING_STATUS_CHANGE,
    ROUTE_DELETION,
    NODE_AUTHORISATION_CHANGE,
    COMMUNICATION_FAILURE
  }
}
