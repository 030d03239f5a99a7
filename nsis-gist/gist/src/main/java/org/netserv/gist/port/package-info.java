// SPDX-License-Identifier: Apache-2.0
/**
 * What GIST needs from outside: datagrams, links, timers, facts about the host. Tests have their
 * own.
 */
package org.netserv.gist.port;
