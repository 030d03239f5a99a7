// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import java.util.List;
import java.util.Optional;
import org.netserv.values.BadValueException;
import org.netserv.values.Prefix;

/**
 * The networks of which containers get theirs, one for each index of a publisher.
 *
 * @param prefix4 IPv4, a /30 of it for each
 * @param prefix6 IPv6, a /64 of it for each
 */
public record ContainerPrefixes(Prefix prefix4, Prefix prefix6) {
  private static final int LENGTH4 = 18;
  private static final int LENGTH6 = 48;

  /** Addresses that a container may never send to, and so cannot have. */
  private static final List<Prefix> NEVER =
      List.of(
          known("0.0.0.0/8"),
          known("127.0.0.0/8"),
          known("169.254.0.0/16"),
          known("224.0.0.0/3"),
          known("::/16"),
          known("fe80::/9"),
          known("ff00::/8"));

  /** Both. */
  public List<Prefix> all() {
    return List.of(prefix4, prefix6);
  }

  /**
   * Why containers cannot be in it; empty if they can.
   *
   * @param family 4 or 6, that it should be of
   */
  static Optional<String> wrong(Prefix prefix, int family) {
    int length = family == 4 ? LENGTH4 : LENGTH6;
    if (prefix.family() != family) {
      return Optional.of(prefix + " is not an IPv" + family + " prefix");
    }
    if (prefix.length() != length) {
      return Optional.of(
          prefix + " is not a /" + length + ", which 4096 containers' networks need");
    }
    return NEVER.stream()
        .filter(prefix::overlaps)
        .findFirst()
        .map(never -> prefix + " is in " + never + ", which containers never send to");
  }

  private static Prefix known(String text) {
    try {
      return Prefix.parse(text);
    } catch (BadValueException e) {
      throw new IllegalStateException(e);
    }
  }
}
