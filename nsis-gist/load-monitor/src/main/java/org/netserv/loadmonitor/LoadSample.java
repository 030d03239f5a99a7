// SPDX-License-Identifier: Apache-2.0
package org.netserv.loadmonitor;

/**
 * One look at a SIP server from outside.
 *
 * @param nanos time of the look, by a monotonic clock
 * @param served datagrams that the programs of the server's network have read, ever
 * @param queue bytes that wait in the server's sockets
 * @param drops datagrams that found these sockets full, ever
 * @param cpuMillis processor time of the server's processes, ever; 0 = not known
 */
public record LoadSample(long nanos, long served, long queue, long drops, long cpuMillis) {}
