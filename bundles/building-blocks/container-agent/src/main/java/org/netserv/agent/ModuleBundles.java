// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent;

import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.netserv.agent.Refusal.Phase;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.Version;
import org.osgi.framework.wiring.FrameworkWiring;

/**
 * The bundles of modules in this framework, from their bytes until they are resolved. Bundles can
 * wait here for their start, at most one of each module. No code of a bundle runs here. Callers
 * hold the lock of {@link ModuleHost}.
 */
final class ModuleBundles {
  /** Bundles that wait for their start. */
  static final int MOST = 4;

  private static final String LOCATION = "sha256:";

  private final BundleContext context;
  private final Providers providers;
  private final Patience patience;
  private final LeakWatch leaks;
  private final Map<String, Hosted> prepared = new LinkedHashMap<>();

  ModuleBundles(BundleContext context, Providers providers, Patience patience, LeakWatch leaks) {
    this.context = context;
    this.providers = providers;
    this.patience = patience;
    this.leaks = leaks;
  }

  /** The digest of a module's bundle; empty for a bundle that is no module. */
  static String sha256(Bundle bundle) {
    String location = bundle.getLocation();
    return location.startsWith(LOCATION) ? location.substring(LOCATION.length()) : "";
  }

  /**
   * Installs and resolves a bundle, and loads its classes, which spares its start that time. The
   * bundle then waits until {@link #take} or {@link #discard}. One that waits already stays as it
   * is; another one of that module goes.
   */
  void prepare(String name, String version, String sha256, Artifact artifact) throws Refusal {
    Hosted waits = prepared.get(name);
    if (waits != null && waits.sha256().equals(sha256)) {
      return;
    }
    artifact.check();
    discard(name);
    if (prepared.size() == MOST) {
      throw Refusal.failed(Phase.INSTALL, "at most " + MOST + " bundles wait for a start", null);
    }
    Hosted module = new Hosted(name, version, sha256, load(name, version, sha256, artifact));
    if (!resolved(module.bundle())) {
      remove(module.bundle());
      throw Refusal.failed(Phase.RESOLVE, "it does not resolve", null);
    }
    ClassLoading.all(module.bundle());
    prepared.put(name, module);
  }

  private boolean resolved(Bundle bundle) throws Refusal {
    try {
      return resolve(bundle);
    } catch (Refusal e) {
      remove(bundle);
      throw e;
    }
  }

  /** Takes the bundle of this digest if it waits. Discards another one of that module. */
  Optional<Hosted> take(String name, String sha256) {
    Hosted waits = prepared.get(name);
    if (waits == null || !waits.sha256().equals(sha256)) {
      discard(name);
      return Optional.empty();
    }
    return Optional.of(prepared.remove(name));
  }

  /** Removes the bundle of a module that waits. Returns false if none does. */
  boolean discard(String name) {
    Hosted waits = prepared.remove(name);
    if (waits != null) {
      remove(waits.bundle());
    }
    return waits != null;
  }

  /**
   * Installs a bundle.
   *
   * @throws Refusal with nothing left behind, if it is not the bundle that the order names
   */
  Bundle load(String name, String version, String sha256, Artifact artifact) throws Refusal {
    String location = LOCATION + sha256;
    if (context.getBundle(location) != null) {
      throw Refusal.failed(Phase.INSTALL, "this bundle is still installed", null);
    }
    Bundle bundle;
    try (InputStream in = artifact.stream()) {
      bundle = context.installBundle(location, in);
    } catch (BundleException | IOException | RuntimeException e) {
      throw Refusal.notKept(e);
    }
    String found = bundle.getSymbolicName() + " " + bundle.getVersion();
    if (!found.equals(name + " " + Version.parseVersion(version))) {
      remove(bundle);
      throw Refusal.failed(Phase.INSTALL, "the bundle is " + found, null);
    }
    return bundle;
  }

  /**
   * Resolves a bundle, and starts the building blocks that it is wired to. Returns false if it does
   * not resolve.
   */
  boolean resolve(Bundle bundle) throws Refusal {
    FrameworkWiring wiring = context.getBundle(0).adapt(FrameworkWiring.class);
    if (!wiring.resolveBundles(List.of(bundle))) {
      return false;
    }
    try {
      providers.start(bundle);
    } catch (BundleException e) {
      throw Refusal.internal(e);
    }
    return true;
  }

  /** Returns the resolver's words, which only an attempt to start the bundle gives. */
  static Refusal unresolved(Bundle bundle) {
    try {
      bundle.start(Bundle.START_TRANSIENT);
      return Refusal.failed(Phase.RESOLVE, "it does not resolve", null);
    } catch (BundleException e) {
      return Refusal.failed(Phase.RESOLVE, ExceptionText.unresolved(e.getMessage()), e);
    }
  }

  /** Stops and uninstalls a bundle. A time limit holds for its activator here too. */
  void remove(Bundle bundle) {
    Patience.Outcome outcome = patience.run("uninstall", null, bundle::uninstall);
    if (outcome.timedOut() || outcome.failure() != null) {
      String why = outcome.timedOut() ? "does not stop" : ExceptionText.of(outcome.failure());
      leaks.report(bundle.getSymbolicName(), "not uninstalled: " + why);
      return;
    }
    context.getBundle(0).adapt(FrameworkWiring.class).refreshBundles(List.of(bundle));
  }
}
