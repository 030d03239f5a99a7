// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

/**
 * Decides which pings of a TCP stream the module answers. Only a server that has answered a ping on
 * this very stream is spoken for, and it has to do so again for each n-th ping:
 *
 * <pre>
 *              ping                                      pong from the server
 *   ASKING     forwarded: ASKING                         TRUSTED, 0 answered
 *   TRUSTED    answered; the n-th forwarded: ASKING      TRUSTED, 0 answered
 * </pre>
 *
 * A server that answers no pings gets all of them, as without the module.
 */
final class PingRota {
  enum State {
    ASKING,
    TRUSTED
  }

  /** Each n-th ping if the property says that none is let through: a stream's server may hang. */
  static final int EVERY_IF_NONE = 20;

  private final int every;
  private State state = State.ASKING;
  private int answered;

  /**
   * @param every each n-th ping is forwarded; 0 = {@value #EVERY_IF_NONE}
   */
  PingRota(int every) {
    this.every = every == 0 ? EVERY_IF_NONE : every;
  }

  State state() {
    return state;
  }

  /**
   * Decides about a ping.
   *
   * @param mayAnswer false if the answer could not be put between two messages, or the server does
   *     not take bytes
   * @return true if the ping is forwarded
   */
  boolean ping(boolean mayAnswer) {
    if (state == State.TRUSTED && mayAnswer && ++answered < every) {
      return false;
    }
    state = State.ASKING;
    return true;
  }

  void pong() {
    state = State.TRUSTED;
    answered = 0;
  }
}
