// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent;

import java.io.IOException;
import java.util.Dictionary;
import java.util.Map;
import java.util.Optional;
import org.eclipse.equinox.log.SynchronousLogListener;
import org.netserv.agent.Refusal.Phase;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Constants;
import org.osgi.framework.FrameworkUtil;
import org.osgi.service.cm.Configuration;
import org.osgi.service.cm.ConfigurationAdmin;
import org.osgi.service.cm.ConfigurationEvent;
import org.osgi.service.cm.ConfigurationListener;
import org.osgi.service.cm.ManagedService;
import org.osgi.service.log.LogEntry;
import org.osgi.service.log.LogLevel;
import org.osgi.service.log.LogReaderService;

/**
 * Gives modules their properties and finds out whether they took them. Configuration Admin delivers
 * on two threads of its own, in order. The agent stores a configuration of its own behind a
 * module's, so that its arrival shows that the module has dealt with the properties. An exception
 * of the module's code appears in the log alone, because both Configuration Admin and Declarative
 * Services catch it.
 */
final class Configurations
    implements ManagedService, ConfigurationListener, SynchronousLogListener {
  /**
   * Name of the agent's own configuration. Its arrival shows that all earlier ones have arrived.
   */
  private static final String MARK = "org.netserv.container-agent.mark";

  private static final String NUMBER = "number";

  /** The packages that log an exception of a module's code. */
  private static final String DELIVERERS = "org.apache.felix.";

  private final BundleContext context;
  private final Providers providers;
  private final Patience patience;
  private boolean registered;
  private long sent;
  private long delivered;
  private long heard;
  private Bundle watched;
  private Throwable thrown;

  Configurations(BundleContext context, Providers providers, Patience patience) {
    this.context = context;
    this.providers = providers;
    this.patience = patience;
  }

  /** Stores the properties. A module that is wired to no Configuration Admin gets none. */
  void store(String module, Dictionary<String, Object> properties) throws IOException {
    Optional<ConfigurationAdmin> admin = providers.service(ConfigurationAdmin.class);
    if (admin.isPresent()) {
      of(admin.get(), module).updateIfDifferent(properties);
    }
  }

  /** The stored properties, null if there are none. */
  Dictionary<String, Object> stored(String module) throws IOException {
    Optional<ConfigurationAdmin> admin = providers.service(ConfigurationAdmin.class);
    return admin.isPresent() ? of(admin.get(), module).getProperties() : null;
  }

  void delete(String module) throws IOException {
    Optional<ConfigurationAdmin> admin = providers.service(ConfigurationAdmin.class);
    if (admin.isPresent()) {
      of(admin.get(), module).delete();
    }
  }

  /**
   * Runs the work, then waits until all configurations stored by then are delivered. Returns the
   * exception that the bundle's code threw at a delivery meanwhile.
   *
   * @throws Refusal if the deliveries do not end in time
   */
  Optional<Throwable> deliver(Bundle to, Work work) throws IOException, Refusal {
    watch(to);
    try {
      work.run();
      Optional<ConfigurationAdmin> admin = providers.service(ConfigurationAdmin.class);
      if (admin.isPresent()) {
        register();
        await(mark(admin.get()));
      }
      return caught();
    } finally {
      watch(null);
    }
  }

  /** Changes configurations. */
  @FunctionalInterface
  interface Work {
    void run() throws IOException, Refusal;
  }

  private void register() {
    if (!registered) {
      registered = true;
      context.registerService(
          new String[] {ManagedService.class.getName(), ConfigurationListener.class.getName()},
          this,
          FrameworkUtil.asDictionary(Map.of(Constants.SERVICE_PID, MARK)));
    }
  }

  private long mark(ConfigurationAdmin admin) throws IOException {
    long number;
    synchronized (this) {
      number = ++sent;
    }
    of(admin, MARK).update(FrameworkUtil.asDictionary(Map.of(NUMBER, number)));
    return number;
  }

  private void await(long number) throws Refusal {
    Patience.Outcome outcome = patience.run("configuration", null, () -> awaitBoth(number));
    if (outcome.timedOut()) {
      throw Refusal.failed(
          Phase.TIMEOUT, "did not take its properties within " + patience.millis() + " ms", null);
    }
  }

  private synchronized void awaitBoth(long number) throws InterruptedException {
    while (delivered < number || heard < number) {
      wait();
    }
  }

  @Override
  public synchronized void updated(Dictionary<String, ?> properties) {
    if (properties != null && properties.get(NUMBER) instanceof Long number) {
      delivered = Math.max(delivered, number);
      notifyAll();
    }
  }

  @Override
  public synchronized void configurationEvent(ConfigurationEvent event) {
    if (event.getPid().equals(MARK) && event.getType() == ConfigurationEvent.CM_UPDATED) {
      heard++;
      notifyAll();
    }
  }

  private void watch(Bundle bundle) {
    LogReaderService reader =
        context.getService(context.getServiceReference(LogReaderService.class));
    synchronized (this) {
      watched = bundle;
      thrown = null;
    }
    if (bundle != null) {
      reader.addLogListener(this);
    } else {
      reader.removeLogListener(this);
    }
  }

  private synchronized Optional<Throwable> caught() {
    return Optional.ofNullable(thrown);
  }

  /** Hears a log entry. The logging thread calls, perhaps with a module's code below it. */
  @Override
  public synchronized void logged(LogEntry entry) {
    if (thrown == null
        && entry.getLogLevel() == LogLevel.ERROR
        && entry.getException() != null
        && entry.getLocation() != null
        && entry.getLocation().getClassName().startsWith(DELIVERERS)
        && isAbout(entry)) {
      thrown = entry.getException();
    }
  }

  /**
   * Tells whether the entry is about the watched bundle. Declarative Services log for the module's
   * bundle. Configuration Admin names the bundle in the text.
   */
  private boolean isAbout(LogEntry entry) {
    return watched != null
        && (watched.equals(entry.getBundle())
            || entry.getMessage().contains("bundle=" + watched.getBundleId() + "/"));
  }

  /**
   * Returns the configuration for any location, because the module's own bundle reads it, and so
   * does its Declarative Services part.
   */
  private static Configuration of(ConfigurationAdmin admin, String name) throws IOException {
    return admin.getConfiguration(name, "?");
  }
}
