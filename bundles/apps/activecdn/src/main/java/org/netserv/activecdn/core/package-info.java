// SPDX-License-Identifier: Apache-2.0
/**
 * The cache of ActiveCDN, without sockets and without a version of HTTP.
 *
 * <pre>
 *   Client --> Exchange --> Store --> Entry --> Content --> Client
 *                 |  a miss      |  no room in memory
 *                 v              v
 *               Fill --> Origin  Shelf      several exchanges read one Content while it grows
 * </pre>
 *
 * All of it belongs to one thread, the event loop. Decisions are those of the building block {@code
 * http}.
 */
package org.netserv.activecdn.core;
