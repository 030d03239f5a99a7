// SPDX-License-Identifier: Apache-2.0
/**
 * Packets as a module sees them. Each packet thread has one {@link org.netserv.packet.Packet} and
 * one {@link org.netserv.packet.Decision}, and hands them to each {@link
 * org.netserv.packet.PktProcessor} in turn. {@link org.netserv.packet.Flows} shows the traffic that
 * the kernel handles without them. {@link org.netserv.packet.Relays} gives channels of a TURN
 * server to the kernel, {@link org.netserv.packet.ServiceRules} rules of a service router, and
 * {@link org.netserv.packet.Answers} answers to keep-alives. {@link org.netserv.packet.Tally}
 * counts outcomes, and {@link org.netserv.packet.RuleBoard} shows rules to the operator. {@link
 * org.netserv.packet.Packets} is for tests. Needs the JDK alone.
 *
 * <p>The dispatcher alone uses {@link org.netserv.packet.PacketCursor}, {@link
 * org.netserv.packet.PacketCounters} and {@link org.netserv.packet.Malformed}.
 */
@Export
@Version("2.5.0")
package org.netserv.packet;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
