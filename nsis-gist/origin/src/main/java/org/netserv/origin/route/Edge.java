// SPDX-License-Identifier: Apache-2.0
package org.netserv.origin.route;

import org.netserv.origin.place.Place;

/**
 * A node to which users may be sent.
 *
 * @param base scheme, host and port for users, without a path
 * @param place null = not known
 */
public record Edge(String nodeId, String base, Place place) {}
