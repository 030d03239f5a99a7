// SPDX-License-Identifier: Apache-2.0
/**
 * A page with live views of a node, for a browser on the same machine.
 *
 * <pre>
 *   answers to PROBEs --> PathMap --+
 *                                   v
 *   admin.sock --each second-----> Feed --server-sent events--> app.js
 *                                   |
 *                  DashboardServer: token, Host, the page's files
 * </pre>
 */
package org.netserv.cli.dashboard;
