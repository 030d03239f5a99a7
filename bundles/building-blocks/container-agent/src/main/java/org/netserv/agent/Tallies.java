// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent;

import java.util.Map;
import java.util.TreeMap;
import org.netserv.packet.Tally;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Constants;
import org.osgi.framework.ServiceReference;

/**
 * Reads the counters that a module shows: each {@link Tally} that its bundle has registered as a
 * service. A Tally is a class of ours and final, so no code of the module runs here. A service that
 * a factory of the module would make is left out for the same reason.
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
    for (ServiceReference<?> service : services(bundle)) {
      if (Constants.SCOPE_SINGLETON.equals(service.getProperty(Constants.SERVICE_SCOPE))
          && context.getService(service) instanceof Tally<?> tally) {
        tally.snapshot().forEach((name, count) -> add(counts, name, count, most));
        context.ungetService(service);
      }
    }
    return counts;
  }

  private static ServiceReference<?>[] services(Bundle bundle) {
    try {
      ServiceReference<?>[] services = bundle.getRegisteredServices();
      return services == null ? new ServiceReference<?>[0] : services;
    } catch (IllegalStateException e) {
      return new ServiceReference<?>[0]; // uninstalled between two questions
    }
  }

  private static void add(Map<String, Long> counts, String name, long count, int most) {
    if (name.length() <= NAME_MAX && (counts.size() < most || counts.containsKey(name))) {
      counts.merge(name, count, Long::sum);
    }
  }
}
