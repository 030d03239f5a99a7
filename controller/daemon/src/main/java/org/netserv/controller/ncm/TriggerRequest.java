// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.ncm;

import java.net.InetAddress;
import org.netserv.ncm.Trigger;

/**
 * A TRIGGER as it came in by the signaling socket.
 *
 * @param source of the socket, for the audit log
 * @param origin the place that it came from
 * @param destination of that flow
 * @param last whether this is the last NetServ node on the path
 */
public record TriggerRequest(
    Trigger trigger, String source, Origin origin, InetAddress destination, boolean last) {}
