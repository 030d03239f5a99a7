// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.registration;

import java.util.HashMap;
import java.util.Map;
import org.netserv.serval.Endpoint;

/**
 * Parts of something scarce, by the address that has them: one of IPv4, or 64 bits of IPv6. No
 * address has more than a quarter, so that a single one cannot keep all others out.
 */
final class Shares {
  private static final int SHARE = 4;

  private final int most;
  private final Map<Endpoint, Integer> parts = new HashMap<>();

  /** Makes the shares of so many parts. Each address may have one. */
  Shares(int all) {
    most = Math.max(1, all / SHARE);
  }

  private static Endpoint source(Endpoint host) {
    return new Endpoint(host.high(), host.isIpv4() ? host.low() : 0, 0);
  }

  /** Tells whether an address has its share. */
  boolean isSpent(Endpoint host) {
    return parts.getOrDefault(source(host), 0) >= most;
  }

  void add(Endpoint host) {
    parts.merge(source(host), 1, Integer::sum);
  }

  /** Gives back a part that was added. */
  void remove(Endpoint host) {
    parts.computeIfPresent(source(host), (source, count) -> count == 1 ? null : count - 1);
  }
}
