// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent;

import java.util.Collection;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.hooks.resolver.ResolverHook;
import org.osgi.framework.hooks.resolver.ResolverHookFactory;
import org.osgi.framework.wiring.BundleCapability;
import org.osgi.framework.wiring.BundleRequirement;
import org.osgi.framework.wiring.BundleRevision;

/**
 * Keeps fragments out, including framework extensions, except the fragments of the container's own
 * start. From inside, a module can install any bundle, and nobody has verified such a bundle. A
 * fragment would run in its host's class loader, with the host's rights. A fragment that does not
 * resolve stays outside.
 */
final class FragmentBan implements ResolverHookFactory, ResolverHook {
  private final Set<Long> own;

  private FragmentBan(BundleContext context) {
    own = Stream.of(context.getBundles()).map(Bundle::getBundleId).collect(Collectors.toSet());
  }

  /** Registers the ban, which is in force as long as the bundle of that context is active. */
  static void begin(BundleContext context) {
    context.registerService(ResolverHookFactory.class, new FragmentBan(context), null);
  }

  @Override
  public ResolverHook begin(Collection<BundleRevision> triggers) {
    return this;
  }

  @Override
  public void filterResolvable(Collection<BundleRevision> candidates) {
    candidates.removeIf(
        revision ->
            (revision.getTypes() & BundleRevision.TYPE_FRAGMENT) != 0
                && !own.contains(revision.getBundle().getBundleId()));
  }

  @Override
  public void filterSingletonCollisions(
      BundleCapability singleton, Collection<BundleCapability> collisions) {}

  @Override
  public void filterMatches(
      BundleRequirement requirement, Collection<BundleCapability> candidates) {}

  @Override
  public void end() {}
}
