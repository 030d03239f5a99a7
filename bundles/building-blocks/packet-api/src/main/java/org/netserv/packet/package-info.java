// SPDX-License-Identifier: Apache-2.0
/**
 * Packets as a module sees them. Each packet thread has one {@link org.netserv.packet.Packet}
 * flyweight and hands it to each {@link org.netserv.packet.PktProcessor} in turn. {@link
 * org.netserv.packet.Flows} shows the traffic that the kernel handles without them. Needs the JDK
 * alone.
 */
@Export
@Version("1.1.0")
package org.netserv.packet;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
