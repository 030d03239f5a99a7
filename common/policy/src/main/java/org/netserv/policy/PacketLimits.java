// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

/**
 * How long a module may hold packets; then they pass unchanged.
 *
 * @param deadline ms for a verdict
 * @param steal ms a stolen packet may be held, up to 30,000
 * @param stealMax packets held at once
 */
public record PacketLimits(int deadline, int steal, int stealMax) {}
