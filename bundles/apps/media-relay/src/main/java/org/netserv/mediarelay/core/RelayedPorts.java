// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.core;

import java.util.List;
import java.util.random.RandomGenerator;

/** The free relayed ports, of each transport and family that the relay has. */
final class RelayedPorts {
  private static final int FAMILIES = 2;

  private final RelayedRange[] ranges = new RelayedRange[2 * FAMILIES];
  private final PortPool[] pools = new PortPool[2 * FAMILIES];

  /**
   * @param udp at most one range of each family
   * @param tcp at most one range of each family
   */
  RelayedPorts(List<RelayedRange> udp, List<RelayedRange> tcp, RandomGenerator random) {
    udp.forEach(range -> add(false, range, random));
    tcp.forEach(range -> add(true, range, random));
  }

  private void add(boolean tcp, RelayedRange range, RandomGenerator random) {
    int at = index(tcp, range.family());
    if (ranges[at] != null) {
      throw new IllegalArgumentException("two ranges of one family and transport");
    }
    ranges[at] = range;
    pools[at] = new PortPool(range.first(), range.last(), random);
  }

  private static int index(boolean tcp, int family) {
    return (tcp ? FAMILIES : 0) + (family == 4 ? 0 : 1);
  }

  /** Tells whether there are relayed addresses of this kind at all. */
  boolean has(boolean tcp, int family) {
    return pools[index(tcp, family)] != null;
  }

  boolean hasTcp() {
    return has(true, 4) || has(true, 6);
  }

  /** Returns the range, null = there is none. */
  RelayedRange range(boolean tcp, int family) {
    return ranges[index(tcp, family)];
  }

  PortPool pool(boolean tcp, int family) {
    return pools[index(tcp, family)];
  }
}
