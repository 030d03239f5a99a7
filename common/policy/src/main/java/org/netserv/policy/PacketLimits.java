// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

/**
 * Time limits for a module that holds packets. When the time is over, the packets pass unchanged.
 *
 * @param deadline ms for a verdict
 * @param steal ms a stolen packet may be held, up to 30,000
 * @param stealMax packets held at once
 */
public record PacketLimits(int deadline, int steal, int stealMax) {}
