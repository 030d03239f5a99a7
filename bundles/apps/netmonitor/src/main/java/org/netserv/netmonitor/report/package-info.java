// SPDX-License-Identifier: Apache-2.0
/** Reports of the NetMonitor on the wire: docs/protocols/netmonitor.md. JDK only. */
@org.osgi.annotation.bundle.Export
@org.osgi.annotation.versioning.Version("1.0.0")
package org.netserv.netmonitor.report;
