// SPDX-License-Identifier: Apache-2.0
/**
 * Service Router: a router of Serval in its encapsulated form, in a publisher's container.
 *
 * <pre>
 *   ServiceRouter   component          RouterSettings, RuleText   properties
 *   core            the way of a packet, without sockets and clocks
 *   net             the socket and its thread
 *   feed            feeders of the table, without sockets
 *   dns, etcd       what they need of other servers
 * </pre>
 */
package org.netserv.servicerouter;
