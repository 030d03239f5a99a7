// SPDX-License-Identifier: Apache-2.0
/**
 * The interfaces through which GIST uses the host: datagrams, links, timers, facts about the host.
 * Tests have their own.
 */
package org.netserv.gist.port;
