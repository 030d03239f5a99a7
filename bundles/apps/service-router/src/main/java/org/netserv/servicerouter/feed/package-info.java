// SPDX-License-Identifier: Apache-2.0
/**
 * The feeders of a router's table, and the registrations of a router itself.
 *
 * <pre>
 *   Parents       registers at other routers the prefixes that this router announces
 *   Lookups       looks serviceIDs up while a DELAY holds their packets, by a Resolver
 *   StoreMirror   the rules of a store that routers share
 *   Flood         announcements from neighbour to neighbour: FloodMessage, FloodOrigin
 * </pre>
 */
package org.netserv.servicerouter.feed;
