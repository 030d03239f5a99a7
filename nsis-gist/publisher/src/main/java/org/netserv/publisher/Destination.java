// SPDX-License-Identifier: Apache-2.0
package org.netserv.publisher;

import java.net.InetAddress;
import java.time.Duration;
import java.util.Objects;

/**
 * A path, and how long it may take to ask it.
 *
 * @param to a user: where the flow goes, and the message after it
 * @param from the flow's source, an address of this host and of the same IP version; null = the one
 *     by which packets to {@code to} leave
 * @param budget time for the answer of the whole path, 1 to 120 seconds
 * @param secure every hop over TLS, or not at all
 */
public record Destination(InetAddress to, InetAddress from, Duration budget, boolean secure) {
  /** Longest time that the protocol can say. */
  public static final Duration LONGEST = Duration.ofMinutes(2);

  private static final Duration SHORTEST = Duration.ofSeconds(1);
  private static final Duration USUAL = Duration.ofSeconds(15);

  public Destination {
    Objects.requireNonNull(to, "to");
    if (from != null && from.getAddress().length != to.getAddress().length) {
      throw new IllegalArgumentException("from and to are of different IP versions");
    }
    if (budget.compareTo(SHORTEST) < 0 || budget.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException("budget: not 1 to 120 seconds: " + budget);
    }
  }

  /** The path from this host to a user; 15 seconds. */
  public static Destination of(InetAddress to) {
    return new Destination(to, null, USUAL, false);
  }

  public Destination from(InetAddress source) {
    return new Destination(to, source, budget, secure);
  }

  public Destination within(Duration time) {
    return new Destination(to, from, time, secure);
  }

  public Destination overTls() {
    return new Destination(to, from, budget, true);
  }
}
