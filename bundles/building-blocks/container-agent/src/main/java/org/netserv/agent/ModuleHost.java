// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent;

import java.io.IOException;
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
import org.osgi.service.component.runtime.ServiceComponentRuntime;

/**
 * The life of the modules in this framework, one change at a time.
 *
 * <pre>
 *   [prepare: as far as the blocks]
 *   install -> resolve -> blocks it is wired to -> configuration -> dispatcher knows it -> start
 *           -> at work -> running
 *      any failure: everything undone in reverse order
 * </pre>
 */
final class ModuleHost {
  private final Providers providers;
  private final Dispatcher dispatcher;
  private final Patience patience;
  private final LeakWatch leaks;
  private final Tidy tidy;
  private final ModuleBundles bundles;
  private final Configurations configurations;
  private final Map<String, Hosted> modules = Collections.synchronizedMap(new LinkedHashMap<>());

  ModuleHost(
      BundleContext context,
      Providers providers,
      Dispatcher dispatcher,
      Patience patience,
      LeakWatch leaks,
      Tidy tidy) {
    this.providers = providers;
    this.dispatcher = dispatcher;
    this.patience = patience;
    this.leaks = leaks;
    this.tidy = tidy;
    this.bundles = new ModuleBundles(context, providers, patience, leaks);
    this.configurations = new Configurations(context, providers, patience);
  }

  /** Has a bundle wait for its {@link #install}. No code of it runs. */
  synchronized void prepare(String name, String version, String sha256, Artifact artifact)
      throws Refusal {
    if (modules.containsKey(name)) {
      throw Refusal.bad("module: " + name + " is here already");
    }
    bundles.prepare(name, version, sha256, artifact);
    tidy.later();
  }

  /**
   * Installs and starts; replaces a module of that name.
   *
   * @param artifact may be empty if a bundle of that digest has been prepared
   */
  synchronized void install(
      String name,
      String version,
      String sha256,
      Artifact artifact,
      Dictionary<String, Object> properties,
      List<PacketFilter> filters)
      throws Refusal {
    Optional<Hosted> prepared = bundles.take(name, sha256);
    if (prepared.isEmpty()) {
      artifact.check();
    }
    if (modules.containsKey(name)) {
      uninstall(name);
    }
    Hosted module =
        prepared.isPresent()
            ? prepared.get()
            : new Hosted(name, version, sha256, bundles.load(name, version, sha256, artifact));
    try {
      if (prepared.isEmpty() && !bundles.resolve(module.bundle())) {
        throw ModuleBundles.unresolved(module.bundle());
      }
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

  /**
   * Stops and removes a module, or a bundle that waits for its start.
   *
   * @return the module's counters over its whole life; empty if it has not been started
   */
  synchronized Optional<ModuleCounters> uninstall(String name) throws Refusal {
    Hosted module = modules.remove(name);
    if (module != null) {
      return Optional.of(undo(module));
    }
    if (!bundles.discard(name)) {
      throw Refusal.unknown(name);
    }
    return Optional.empty();
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

  /** The modules that run, oldest first. Does not wait for a change that is under way. */
  List<Hosted> list() {
    synchronized (modules) {
      return new ArrayList<>(modules.values());
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
    bundles.remove(module.bundle());
    try {
      configurations.delete(module.name());
    } catch (IOException | RuntimeException e) {
      System.err.println(
          "agent: configuration of " + module.name() + " stays: " + ExceptionText.of(e));
    }
    return counters;
  }
}
