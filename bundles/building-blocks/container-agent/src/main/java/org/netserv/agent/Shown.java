// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent;

import java.util.Arrays;
import java.util.Objects;
import java.util.stream.Stream;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Constants;
import org.osgi.framework.ServiceReference;

/**
 * Finds the services by which a module shows something to the operator. Their classes are ours and
 * final, so no code of the module runs here. A service that a factory of the module would make is
 * left out for the same reason.
 */
final class Shown {
  private Shown() {}

  /** Returns the services of a class that a bundle has registered. */
  static <T> Stream<T> of(BundleContext context, Bundle bundle, Class<T> kind) {
    return Arrays.stream(services(bundle))
        .filter(each -> Constants.SCOPE_SINGLETON.equals(each.getProperty(Constants.SERVICE_SCOPE)))
        .map(each -> get(context, each, kind))
        .filter(Objects::nonNull);
  }

  private static <T> T get(BundleContext context, ServiceReference<?> service, Class<T> kind) {
    Object found = context.getService(service);
    context.ungetService(service);
    return kind.isInstance(found) ? kind.cast(found) : null;
  }

  private static ServiceReference<?>[] services(Bundle bundle) {
    try {
      ServiceReference<?>[] services = bundle.getRegisteredServices();
      return services == null ? new ServiceReference<?>[0] : services;
    } catch (IllegalStateException e) {
      return new ServiceReference<?>[0]; // uninstalled between two questions
    }
  }
}
