// SPDX-License-Identifier: Apache-2.0
/**
 * The way of a packet through a service router, without sockets and clocks.
 *
 * <pre>
 *   PacketRouter    sound? a SYN or a datagram? from whom?  --> Forwarding of the block serval
 *   Registrations   the rules of hosts
 *   Waiting         packets that a DELAY holds
 *   Feeder          gives rules by Routing, and tells others the Announcements
 *   Output          the packet with one more hop
 *   Outcome         each packet and each rule by a name
 * </pre>
 *
 * <p>Time is a number of milliseconds that the caller gives. One thread at a time.
 */
package org.netserv.servicerouter.core;
