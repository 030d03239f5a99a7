// SPDX-License-Identifier: Apache-2.0
/**
 * The relay without sockets and clocks (RFC 8656, 8016, 6062).
 *
 * <pre>
 *   Requests: Allocate, Refresh, ...     the numbered steps of each method
 *   Allocation: Permissions, Channels    what a client has; AllocationTable finds it by 5-tuple
 *   Expiry                               the next allocation that has something to forget
 *   PeerRules, Accounts, Bucket          who may reach whom, and how much
 *   PortPool, Reservations, Tickets      relayed ports, EVEN-PORT pairs, mobility
 *   Why                                  outcomes, counted under the relay's lock
 * </pre>
 *
 * <p>Times are of {@link System#nanoTime} or of a test, compared by difference. Addresses have 128
 * bits, IPv4 addresses as ::ffff:a.b.c.d. All of it belongs to whoever holds the relay's lock.
 */
package org.netserv.mediarelay.core;
