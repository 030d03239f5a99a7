// SPDX-License-Identifier: Apache-2.0
package org.netserv.translator.core;

/**
 * Bounds of relayed connections. Times are in milliseconds.
 *
 * @param connections at once, in both directions together
 * @param perSource of one IPv4 address, or of 64 bits of an IPv6 address
 * @param connect time for the other side to answer
 * @param idle time without a byte in either direction
 * @param buffer bytes that a stream of Serval keeps in each direction
 * @param drain time for connections to end when the module stops
 */
public record Limits(
    int connections, int perSource, int connect, int idle, int buffer, int drain) {}
