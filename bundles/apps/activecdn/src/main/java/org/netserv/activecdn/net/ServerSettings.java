// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.net;

/**
 * Bounds of the connections of clients. Times are in milliseconds.
 *
 * @param head from the first byte of a head to its end
 * @param idle between two requests
 * @param stall without a byte of content, in either direction
 * @param connections at once
 * @param share of one address
 */
public record ServerSettings(long head, long idle, long stall, int connections, int share) {}
