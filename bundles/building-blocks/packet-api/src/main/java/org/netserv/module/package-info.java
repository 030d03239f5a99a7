// SPDX-License-Identifier: Apache-2.0
/**
 * Helps a module with its settings: {@link org.netserv.module.ModuleProperties} reads the
 * properties of its SETUP. Needs the JDK alone.
 */
@Export
@Version("1.0.0")
package org.netserv.module;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
