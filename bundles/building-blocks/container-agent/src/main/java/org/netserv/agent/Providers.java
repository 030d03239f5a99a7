// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.netserv.host.HostMain;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.ServiceReference;
import org.osgi.framework.wiring.BundleCapability;
import org.osgi.framework.wiring.BundleRevision;
import org.osgi.framework.wiring.BundleWire;
import org.osgi.framework.wiring.BundleWiring;

/**
 * Starts the building blocks that exist for modules ({@link HostMain#isForModules}). Each block
 * starts before the first module wired to it, directly or through other blocks, and then stays.
 */
final class Providers {
  /** Prefix of the locations of building blocks. */
  static final String BLOCK = "block:";

  private static final String EXTENDER = "osgi.extender";
  private static final String COMPONENTS = "osgi.component";

  private final BundleContext context;

  Providers(BundleContext context) {
    this.context = context;
  }

  /**
   * Starts the blocks that a resolved module needs. A block starts after the blocks that it needs
   * itself.
   */
  void start(Bundle module) throws BundleException {
    Set<Bundle> seen = new HashSet<>();
    visit(module, seen);
    if (module.getHeaders().get("Service-Component") != null) {
      // Its manifest, if made by hand, need not require the extender of its components.
      for (Bundle block : context.getBundles()) {
        if (extendsComponents(block)) {
          provide(block, seen);
        }
      }
    }
  }

  private static boolean extendsComponents(Bundle block) {
    for (BundleCapability capability :
        block.adapt(BundleRevision.class).getDeclaredCapabilities(EXTENDER)) {
      if (COMPONENTS.equals(capability.getAttributes().get(EXTENDER))) {
        return true;
      }
    }
    return false;
  }

  private void visit(Bundle wired, Set<Bundle> seen) throws BundleException {
    for (BundleWire wire : wired.adapt(BundleWiring.class).getRequiredWires(null)) {
      provide(wire.getProvider().getBundle(), seen);
    }
  }

  private void provide(Bundle block, Set<Bundle> seen) throws BundleException {
    if (block.getLocation().startsWith(BLOCK) && seen.add(block)) {
      visit(block, seen);
      if (HostMain.isForModules(block)) {
        block.start(Bundle.START_TRANSIENT);
      }
    }
  }

  /** Returns a service, or empty if its block has not been started because no module wants it. */
  <S> Optional<S> service(Class<S> type) {
    ServiceReference<S> reference = context.getServiceReference(type);
    return reference == null ? Optional.empty() : Optional.of(context.getService(reference));
  }
}
