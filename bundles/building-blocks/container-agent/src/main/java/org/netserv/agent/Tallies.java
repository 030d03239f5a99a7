// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent;

import java.util.Map;
import java.util.TreeMap;
import org.netserv.packet.Tally;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;

/**
 * Reads the counters that a module shows: each {@link Tally} that its bundle has registered as a
 * service.
 */
final class Tallies {
  /** Characters of a name that is kept. */
  private static final int NAME_MAX = 64;

  private final BundleContext context;

  Tallies(BundleContext context) {
    this.context = context;
  }

  /** Returns at most {@code most} counters above zero, by name. Those of one name add up. */
  Map<String, Long> of(Bundle bundle, int most) {
    Map<String, Long> counts = new TreeMap<>();
    Shown.of(context, bundle, Tally.class)
        .forEach(tally -> all(tally).forEach((name, count) -> add(counts, name, count, most)));
    return counts;
  }

  private static Map<String, Long> all(Tally<?> tally) {
    return tally.snapshot();
  }

  private static void add(Map<String, Long> counts, String name, long count, int most) {
    if (name.length() <= NAME_MAX && (counts.size() < most || counts.containsKey(name))) {
      counts.merge(name, count, Long::sum);
    }
  }
}
