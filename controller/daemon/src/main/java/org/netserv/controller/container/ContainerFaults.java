// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import java.util.Map;
import org.netserv.controller.loop.Loop;
import org.netserv.controller.spawner.SpawnerException;
import org.netserv.controller.spawner.SpawnerLine;
import org.netserv.process.ForeignText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes on the faults of a container, from its host's reports and its agent's events. Modules may
 * be behind them, so each fault is one bounded line. Faults that come too often are dropped, and
 * the log says so once a minute. On the loop.
 */
final class ContainerFaults {
  private static final Logger LOG = LoggerFactory.getLogger(ContainerFaults.class);

  private final Loop loop;
  private final ContainerListener listener;

  ContainerFaults(Loop loop, ContainerListener listener) {
    this.loop = loop;
    this.listener = listener;
  }

  /**
   * Takes a report of the container's host. The host escapes the values, which may hold anything.
   */
  void reported(Container container, String text) {
    String line = ForeignText.bounded(text);
    try {
      Map<String, String> fields = SpawnerLine.parse("report " + line).values();
      String kind = ForeignText.bounded(fields.getOrDefault("kind", "?"), AgentShapes.NAME);
      String module = ForeignText.bounded(fields.getOrDefault("module", "-"), AgentShapes.NAME);
      hear(container, kind, module, line);
    } catch (SpawnerException e) {
      hear(container, "unreadable", "-", line);
    }
  }

  /** Takes an event of the container's agent. The event was bounded when it was read. */
  void told(Container container, AgentEvent event) {
    if (event.kind().equals("quarantined")) {
      quarantined(container, event.module(), event.sha256(), event.reason());
    } else {
      hear(container, event.kind(), event.module(), event.reason());
    }
  }

  /**
   * Takes the news that a module is quarantined, from an event or a hello. The news is always
   * heard, because it changes a module's state once. Without it the node would say of the module
   * that it runs.
   */
  void quarantined(Container container, String module, String sha256, String reason) {
    listener.quarantined(container.user, module, sha256, reason);
  }

  private void hear(Container container, String kind, String module, String text) {
    if (!container.tooLoud(loop.monotonic())) {
      listener.fault(container.user, kind, module, text);
    } else if (container.justTooLoud()) {
      LOG.warn(
          "container {}: more than {} faults a minute: not heard for the rest of it",
          container.user,
          Container.FAULTS_PER_MINUTE);
    }
  }
}
