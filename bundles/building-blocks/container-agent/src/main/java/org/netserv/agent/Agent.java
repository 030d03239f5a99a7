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
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.service.cm.ConfigurationAdmin;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.runtime.ServiceComponentRuntime;

/** The agent as a component: puts its parts together. */
@Component(
    immediate = true,
    service = {})
public final class Agent {
  /** The set of building blocks that this container offers, by name. */
  private static final String PROFILE = "base-1";

  private static final String BLOCK = "block:";
  private static final String CONTROL = "netserv.control";
  private static final String START_MILLIS = "netserv.start.millis";
  private static final String GRACE_MILLIS = "netserv.leak.millis";
  private static final long START_DEFAULT = 10_000;
  private static final long GRACE_DEFAULT = 10_000;

  private final BundleContext context;
  private final Dispatcher dispatcher;
  private final Operations operations;
  private final ControlLink link;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          work -> {
            Thread thread = new Thread(work, "agent-timer");
            thread.setDaemon(true);
            return thread;
          });

  @Activate
  public Agent(
      BundleContext context,
      @Reference Dispatcher dispatcher,
      @Reference ConfigurationAdmin configurations,
      @Reference ServiceComponentRuntime components) {
    this.context = context;
    this.dispatcher = dispatcher;
    Tidy tidy = new Tidy(timer);
    LeakWatch leaks = new LeakWatch(timer, millis(GRACE_MILLIS, GRACE_DEFAULT), this::leak);
    Patience patience = new Patience(millis(START_MILLIS, START_DEFAULT));
    operations =
        new Operations(
            new ModuleHost(
                context,
                configurations,
                dispatcher,
                new Components(components),
                patience,
                leaks,
                tidy),
            dispatcher);
    String build = context.getBundle().getVersion().toString();
    link = new ControlLink(Path.of(context.getProperty(CONTROL)), build, this::hello, operations);
    dispatcher.onQuarantine((module, reason) -> link.event("quarantined", module, reason));
    link.start();
    tidy.later();
  }

  @Deactivate
  void deactivate() throws IOException {
    dispatcher.onQuarantine(null);
    timer.shutdownNow();
    link.close();
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
      if (bundle.getLocation().startsWith(BLOCK)) {
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
