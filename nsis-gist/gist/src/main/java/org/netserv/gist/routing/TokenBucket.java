// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

/**
 * A token bucket with the time as an argument, in milliseconds. Counts in thousandths of tokens.
 */
final class TokenBucket {
  private static final long TOKEN = 1000;

  private final long rate;
  private final long capacity;
  private long level;
  private long filledAt;

  /**
   * A full bucket.
   *
   * @param rate tokens a second
   */
  TokenBucket(int rate, int burst, long now) {
    this.rate = Math.max(1, rate);
    this.capacity = Math.max(1, burst) * TOKEN;
    this.level = capacity;
    this.filledAt = now;
  }

  /** Takes a token if there is one. */
  boolean take(long now) {
    level = Math.min(capacity, level + (now - filledAt) * rate);
    filledAt = now;
    if (level < TOKEN) {
      return false;
    }
    level -= TOKEN;
    return true;
  }

  /** Milliseconds until there is a token, at least 1. */
  long delay(long now) {
    long missing = TOKEN - level - (now - filledAt) * rate;
    return Math.max(1, (missing + rate - 1) / rate);
  }
}
