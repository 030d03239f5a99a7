// SPDX-License-Identifier: Apache-2.0
/**
 * The flows and listeners of a host, without I/O.
 *
 * <pre>
 *   FlowTable       gives each packet to its flow or listener, and answers those that have none
 *   Arrival         a packet with its addresses and time
 *   HostVerdict     the outcome for a packet
 *   Listener        the program that listens on a socket of the service table
 *   HostLimits      bounds of flows and of requests
 * </pre>
 *
 * <p>Time is a number of milliseconds that the caller gives, from any zero. One thread per table.
 */
@org.osgi.annotation.bundle.Export
@org.osgi.annotation.versioning.Version("1.0.0")
package org.netserv.serval.host;
