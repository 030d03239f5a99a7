// SPDX-License-Identifier: Apache-2.0
/** A whole Debian system with systemd as PID 1, in namespaces of this machine. */
package org.netserv.lab.testbed.machine;
