// SPDX-License-Identifier: Apache-2.0
/**
 * The Java side of the container host. It is on the class path of the virtual machine and exported
 * to bundles by the framework itself, so that the C host finds it without asking a bundle.
 */
@Version("1.0.0")
package org.netserv.host;

import org.osgi.annotation.versioning.Version;
