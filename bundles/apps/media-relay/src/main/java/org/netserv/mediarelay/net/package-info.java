// SPDX-License-Identifier: Apache-2.0
/**
 * Sockets of the relay: clients' legs, relayed addresses, and the threads that serve them.
 *
 * <pre>
 *   Loop                     threads, lock and timers
 *   ClientMessages           messages of all kinds of client legs come here
 * </pre>
 */
package org.netserv.mediarelay.net;
