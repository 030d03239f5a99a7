// SPDX-License-Identifier: Apache-2.0
/**
 * Framed JSON over UNIX sockets: the language of the admin, signaling and container sockets. The
 * frames are described in docs/protocols/container.md.
 */
@Export
@Version("1.0.0")
package org.netserv.frames;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
