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
 * Faults that a container tells of, by its host's reports and its agent's events. Modules may be
 * behind them: they are bounded, one line each, and what comes too often is said once a minute and
 * dropped. On the loop.
 */
final class ContainerFaults {
  private static final Logger LOG = LoggerFactory.getLogger(ContainerFaults.class);

  private final Loop loop;
  private final ContainerListener listener;

  ContainerFaults(Loop loop, ContainerListener listener) {
    this.loop = loop;
    this.listener = listener;
  }

  /** What its host wrote. Its values are escaped there and may hold anything. */
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

  /** What its agent says; bounded when it was read. */
  void told(Container container, AgentEvent event) {
    if (event.kind().equals("quarantined")) {
      quarantined(container, event.module(), event.sha256(), event.reason());
    } else {
      hear(container, event.kind(), event.module(), event.reason());
    }
  }

  /**
   * A module that is quarantined, as an event or a hello tells. Always heard: it changes a module's
   * state once, and without it the node would say of a module that it runs.
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
