// SPDX-License-Identifier: Apache-2.0
/**
 * Carries packets from the ring through the chain of modules and their verdicts back. Modules do
 * not see this package: they register {@link org.netserv.packet.PktProcessor} services.
 */
@Export
@Version("1.0.0")
package org.netserv.dispatcher;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
