// SPDX-License-Identifier: Apache-2.0
/**
 * Reports of KeepAlive Responders about the agents that they see:
 * docs/protocols/keepalive-report.md.
 */
package org.netserv.provider.report;
