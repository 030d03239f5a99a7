// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.net;

import org.netserv.http.HeadLimits;

/**
 * Bounds of the connections to the origin. Times are in milliseconds.
 *
 * @param connect until a connection stands, or one becomes free
 * @param head from the request to the head of the response
 * @param stall without a byte of the content
 * @param idle without a request
 * @param connections at once
 * @param ready that stand, or are being made, when a request has taken its own
 * @param queue requests that wait for a connection
 */
public record OriginSettings(
    HeadLimits limits,
    long connect,
    long head,
    long stall,
    long idle,
    int connections,
    int ready,
    int queue) {}
