// SPDX-License-Identifier: Apache-2.0
/**
 * Packets as a module sees them: one {@link org.netserv.packet.Packet} flyweight per packet thread,
 * handed to each {@link org.netserv.packet.PktProcessor} in turn; and {@link
 * org.netserv.packet.Flows}, what the kernel does past them. Needs the JDK alone.
 */
@Export
@Version("1.1.0")
package org.netserv.packet;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
