// SPDX-License-Identifier: Apache-2.0
/**
 * The service table: rules from serviceID prefixes to targets, without I/O.
 *
 * <pre>
 *   ServiceTable     longest prefix, best rank, weighted draw; refuses rules by TableRefusal
 *   Rule             prefix, action, target, rank, weight, origin, end of its lifetime
 *   Resolution       the outcome for a serviceID
 *   Forwarding       the decision of a service router about one packet
 *   HeldPackets      packets that a DELAY holds
 * </pre>
 *
 * <p>Time is a number of milliseconds that the caller gives, from any zero. One thread per object.
 */
@org.osgi.annotation.bundle.Export
@org.osgi.annotation.versioning.Version("1.1.0")
package org.netserv.serval.table;
