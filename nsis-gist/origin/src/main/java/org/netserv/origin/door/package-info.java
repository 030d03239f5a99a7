// SPDX-License-Identifier: Apache-2.0
/** The questions of the web server, by HTTP on the loopback. */
package org.netserv.origin.door;
