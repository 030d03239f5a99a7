// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

/**
 * Decides whether a request without valid credentials gets an answer. By UDP anybody can write
 * somebody else's address on a request, so answers are few for each source, and not much larger
 * than the request.
 */
public final class Strangers {
  private final SourceLimits limits;
  private final int factor;

  /**
   * @param perSecond answers a second to one source, 0 = no limit
   * @param factor largest length of an answer, as a multiple of the request's
   * @param seed random
   */
  public Strangers(int perSecond, int factor, long seed) {
    limits = new SourceLimits(perSecond, Math.max(1, 2 * perSecond), seed);
    this.factor = factor;
  }

  /** Returns why there is no answer, null = there is one. */
  Why refusal(Client client, int request, int answer, long now) {
    if (client.transport() != Transport.UDP) {
      return null; // a connection has shown that the address is the client's
    }
    if (answer > factor * request) {
      return Why.AMPLIFIES;
    }
    return limits.take(client.high(), client.low(), now) ? null : Why.RATE_LIMITED;
  }
}
