// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Dictionary;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.netserv.agent.Refusal.Phase;
import org.netserv.dispatcher.Dispatcher;
import org.netserv.dispatcher.ModuleCounters;
import org.netserv.dispatcher.PacketFilter;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.wiring.FrameworkWiring;
import org.osgi.service.component.runtime.ServiceComponentRuntime;

/**
 * The life of the modules in this framework, one change at a time.
 *
 * <pre>
 *   install -> resolve -> blocks it is wired to -> configuration -> dispatcher knows it -> start
 *           -> at work -> running
 *      any failure: everything undone in reverse order
 * </pre>
 */
final class ModuleHost {
  private static final String LOCATION = "sha256:";

  private final BundleContext context;
  private final Providers providers;
  private final Dispatcher dispatcher;
  private final Patience patience;
  private final LeakWatch leaks;
  private final Tidy tidy;
  private final Configurations configurations;
  private final Map<String, Hosted> modules = Collections.synchronizedMap(new LinkedHashMap<>());

  ModuleHost(
      BundleContext context,
      Providers providers,
      Dispatcher dispatcher,
      Patience patience,
      LeakWatch leaks,
      Tidy tidy) {
    this.context = context;
    this.providers = providers;
    this.dispatcher = dispatcher;
    this.patience = patience;
    this.leaks = leaks;
    this.tidy = tidy;
    this.configurations = new Configurations(context, providers, patience);
  }

  /** Installs and starts; replaces a module of that name. */
  synchronized void install(
      String name,
      String version,
      String sha256,
      Artifact artifact,
      Dictionary<String, Object> properties,
      List<PacketFilter> filters)
      throws Refusal {
    artifact.check();
    if (modules.containsKey(name)) {
      uninstall(name);
    }
    Hosted module = new Hosted(name, version, sha256, load(name, version, sha256, artifact));
    try {
      resolve(module.bundle());
      provide(module.bundle());
      configurations.store(name, properties);
      dispatcher.module(name, module.bundle().getBundleId(), module.loader(), filters);
      requireNothing(
          Phase.START,
          configurations.deliver(module.bundle(), () -> start(module)).map(ExceptionText::of));
      requireNothing(Phase.START, complaint(module, filters));
      modules.put(name, module);
      tidy.later();
    } catch (Refusal e) {
      undo(module);
      throw e;
    } catch (IOException | RuntimeException e) {
      undo(module);
      throw Refusal.notKept(e);
    }
  }

  /** Stops and removes a module. Returns its counters over its whole life. */
  synchronized ModuleCounters uninstall(String name) throws Refusal {
    Hosted module = modules.remove(name);
    if (module == null) {
      throw Refusal.unknown(name);
    }
    return undo(module);
  }

  /**
   * Installs and starts a bundle of our own, and removes it at once. Nobody watches its classes
   * afterwards, because a watch collects garbage while a publisher may wait for the container.
   */
  synchronized void rehearse(
      String name,
      String version,
      String sha256,
      Artifact artifact,
      Dictionary<String, Object> properties,
      List<PacketFilter> filters)
      throws Refusal {
    install(name, version, sha256, artifact, properties, filters);
    takeOut(modules.remove(name));
  }

  /**
   * Gives a module other properties and filters. If the module refuses the properties, it gets the
   * old ones again, and its filters stay.
   */
  synchronized void configure(
      String name, Dictionary<String, Object> properties, List<PacketFilter> filters)
      throws Refusal {
    Hosted module = modules.get(name);
    if (module == null) {
      throw Refusal.unknown(name);
    }
    try {
      Dictionary<String, Object> before = configurations.stored(name);
      Optional<String> complaint = configure(module, properties, filters);
      if (complaint.isPresent()) {
        String still =
            configure(module, before, filters)
                .map(text -> "; it does not work with those before either: " + text)
                .orElse("");
        requireNothing(Phase.CONFIGURE, Optional.of(complaint.get() + still));
      }
    } catch (IOException | RuntimeException e) {
      throw Refusal.internal(e);
    }
    dispatcher.module(name, module.bundle().getBundleId(), module.loader(), filters);
  }

  /** The module's complaint about the properties; empty when it works with them. */
  private Optional<String> configure(
      Hosted module, Dictionary<String, Object> properties, List<PacketFilter> filters)
      throws IOException, Refusal {
    if (properties == null) {
      return complaint(module, filters);
    }
    Optional<Throwable> thrown =
        configurations.deliver(
            module.bundle(), () -> configurations.store(module.name(), properties));
    return thrown.isPresent() ? thrown.map(ExceptionText::of) : complaint(module, filters);
  }

  /** The digest of a module's bundle; empty for a bundle that is no module. */
  static String sha256(Bundle bundle) {
    String location = bundle.getLocation();
    return location.startsWith(LOCATION) ? location.substring(LOCATION.length()) : "";
  }

  /** The modules that run, oldest first. Does not wait for a change that is under way. */
  List<Hosted> list() {
    synchronized (modules) {
      return new ArrayList<>(modules.values());
    }
  }

  private Bundle load(String name, String version, String sha256, Artifact artifact)
      throws Refusal {
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
    if (!found.equals(name + " " + org.osgi.framework.Version.parseVersion(version))) {
      remove(bundle);
      throw Refusal.failed(Phase.INSTALL, "the bundle is " + found, null);
    }
    return bundle;
  }

  private void resolve(Bundle bundle) throws Refusal {
    FrameworkWiring wiring = context.getBundle(0).adapt(FrameworkWiring.class);
    if (wiring.resolveBundles(List.of(bundle))) {
      return;
    }
    try {
      bundle.start(Bundle.START_TRANSIENT); // fails, and says why
    } catch (BundleException e) {
      throw Refusal.failed(Phase.RESOLVE, ExceptionText.unresolved(e.getMessage()), e);
    }
  }

  private void provide(Bundle bundle) throws Refusal {
    try {
      providers.start(bundle);
    } catch (BundleException e) {
      throw Refusal.internal(e);
    }
  }

  /**
   * Starts the module on a thread of its own with a time limit, because an activator may hang or
   * throw anything.
   */
  private void start(Hosted module) throws Refusal {
    Patience.Outcome outcome =
        patience.run(
            "start " + module.name(),
            module.loader(),
            () -> module.bundle().start(Bundle.START_TRANSIENT));
    if (outcome.timedOut()) {
      throw Refusal.failed(
          Phase.TIMEOUT, "did not start within " + patience.millis() + " ms", null);
    }
    if (outcome.failure() != null) {
      throw Refusal.failed(Phase.START, ExceptionText.of(outcome.failure()), outcome.failure());
    }
  }

  private Optional<String> complaint(Hosted module, List<PacketFilter> filters) {
    Optional<ServiceComponentRuntime> runtime = providers.service(ServiceComponentRuntime.class);
    return Components.complaint(runtime, module.bundle(), !filters.isEmpty());
  }

  private static void requireNothing(Phase phase, Optional<String> complaint) throws Refusal {
    if (complaint.isPresent()) {
      throw Refusal.failed(phase, complaint.get(), null);
    }
  }

  private ModuleCounters undo(Hosted module) {
    ClassLoader loader = module.loader();
    ModuleCounters counters = takeOut(module);
    if (loader != null) {
      leaks.watch(module.name(), loader);
    }
    return counters;
  }

  private ModuleCounters takeOut(Hosted module) {
    ModuleCounters counters = dispatcher.remove(module.name());
    remove(module.bundle());
    try {
      configurations.delete(module.name());
    } catch (IOException | RuntimeException e) {
      System.err.println(
          "agent: configuration of " + module.name() + " stays: " + ExceptionText.of(e));
    }
    return counters;
  }

  /** Stops and uninstalls a bundle. A time limit holds for its activator here too. */
  private void remove(Bundle bundle) {
    Patience.Outcome outcome = patience.run("uninstall", null, bundle::uninstall);
    if (outcome.timedOut() || outcome.failure() != null) {
      String why = outcome.timedOut() ? "does not stop" : ExceptionText.of(outcome.failure());
      leaks.report(bundle.getSymbolicName(), "not uninstalled: " + why);
      return;
    }
    context.getBundle(0).adapt(FrameworkWiring.class).refreshBundles(List.of(bundle));
  }
}
