// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.netserv.dispatcher.Dispatcher;
import org.netserv.frames.Json;
import org.osgi.annotation.bundle.Header;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Constants;

/** Puts the agent's parts together. The dispatcher's bundle, of an earlier name, has started. */
@Header(name = Constants.BUNDLE_ACTIVATOR, value = "${@class}")
public final class ContainerAgent implements BundleActivator {
  /** The set of building blocks that this container offers, by name. */
  private static final String PROFILE = "base-1";

  private static final String CONTROL = "netserv.control";
  private static final String START_MILLIS = "netserv.start.millis";
  private static final String GRACE_MILLIS = "netserv.leak.millis";
  private static final long START_DEFAULT = 10_000;
  private static final long GRACE_DEFAULT = 10_000;

  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          work -> {
            Thread thread = new Thread(work, "agent-timer");
            thread.setDaemon(true);
            return thread;
          });
  private BundleContext context;
  private Dispatcher dispatcher;
  private Operations operations;
  private ControlLink link;

  @Override
  public void start(BundleContext started) {
    context = started;
    FragmentBan.begin(context);
    dispatcher = context.getService(context.getServiceReference(Dispatcher.class));
    Tidy tidy = new Tidy(timer);
    LeakWatch leaks = new LeakWatch(timer, millis(GRACE_MILLIS, GRACE_DEFAULT), this::leak);
    Patience patience = new Patience(millis(START_MILLIS, START_DEFAULT));
    ModuleHost host =
        new ModuleHost(context, new Providers(context), dispatcher, patience, leaks, tidy);
    operations = new Operations(host, dispatcher, new Tallies(context), new Boards(context));
    if (Boolean.getBoolean(SpareWarmUp.SPARE)) {
      SpareWarmUp.run(host);
    }
    String build = context.getBundle().getVersion().toString();
    link = new ControlLink(Path.of(context.getProperty(CONTROL)), build, this::hello, operations);
    dispatcher.onQuarantine(this::quarantined);
    link.start();
    tidy.later();
  }

  @Override
  public void stop(BundleContext stopped) throws IOException {
    dispatcher.onQuarantine(null);
    timer.shutdownNow();
    link.close();
  }

  /** The bundle's location tells the controller which version of the module threw. */
  private void quarantined(String module, long bundleId, String reason) {
    Bundle bundle = context.getBundle(bundleId);
    String sha256 = bundle == null ? "" : ModuleBundles.sha256(bundle);
    link.event(
        Json.object()
            .put("event", "quarantined")
            .put("module", module)
            .put("sha256", sha256)
            .put("reason", reason));
  }

  private void leak(String module, String reason) {
    link.event("leak", module, reason);
  }

  private long millis(String property, long normally) {
    String text = context.getProperty(property);
    return text == null ? normally : Long.parseLong(text);
  }

  private ObjectNode hello() {
    ObjectNode hello = Json.object();
    hello.put("jvm", Runtime.version().toString()).put("profile", PROFILE);
    ArrayNode blocks = hello.putArray("blocks");
    for (Bundle bundle : context.getBundles()) {
      if (bundle.getLocation().startsWith(Providers.BLOCK)) {
        blocks
            .addObject()
            .put("name", bundle.getSymbolicName())
            .put("version", bundle.getVersion().toString());
      }
    }
    operations.modules(hello.putArray("modules"));
    return hello;
  }
}
