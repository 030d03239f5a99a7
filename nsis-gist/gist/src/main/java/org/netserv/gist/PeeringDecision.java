// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist;

/**
 * The answer to a routing state check (RFC 5971 section 4.3.2).
 *
 * @param peer whether to become a peer; else the Query goes on
 * @param payload for the Response, or in place of that of the Query that goes on; null = none, or
 *     unchanged
 */
@SuppressWarnings("ArrayRecordComponent") // nobody changes the array
public record PeeringDecision(boolean peer, byte[] payload) {
  public static final PeeringDecision ACCEPT = new PeeringDecision(true, null);
  public static final PeeringDecision PASS = new PeeringDecision(false, null);
}
