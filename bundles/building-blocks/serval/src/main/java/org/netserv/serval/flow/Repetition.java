// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.flow;

/**
 * The times at which a client repeats the third message of its handshake, in milliseconds. A server
 * that has answered without state cannot ask for that message again.
 */
final class Repetition {
  /** Time of the first one. Each later time is twice as long as the one before. */
  static final long FIRST = 200;

  /** Messages that are repeated at most. */
  static final int MOST = 5;

  private long dueAt = ControlChannel.NEVER;
  private int sent;

  /** The third message leaves for the first time. */
  void start(long now) {
    dueAt = now + FIRST;
  }

  /** Tells whether the message has to leave again. Then it is due later, or never. */
  boolean isDue(long now) {
    if (dueAt > now) {
      return false;
    }
    sent++;
    dueAt = sent == MOST ? ControlChannel.NEVER : now + (FIRST << sent);
    return true;
  }

  void stop() {
    dueAt = ControlChannel.NEVER;
  }

  long dueAt() {
    return dueAt;
  }
}
