// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import org.netserv.controller.loop.Loop;
import org.netserv.controller.spawner.SpawnerException;
import org.netserv.controller.spawner.SpawnerLine;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Faults that a container tells of, by its host's reports and its agent's events. Modules may be
 * behind them: they are bounded, one line each, and what comes too often is said once a minute and
 * dropped. On the loop.
 */
final class ContainerFaults {
  private static final Logger LOG = LoggerFactory.getLogger(ContainerFaults.class);

  /** Of an event's kind and module. */
  private static final int NAME_CHARACTERS = 128;

  private static final int REASON_CHARACTERS = 512;

  private final Loop loop;
  private final ContainerListener listener;

  ContainerFaults(Loop loop, ContainerListener listener) {
    this.loop = loop;
    this.listener = listener;
  }

  /** What its host wrote; the spawner has bounded it. */
  void reported(Container container, String text) {
    try {
      Map<String, String> fields = SpawnerLine.parse("report " + text).values();
      hear(container, fields.getOrDefault("kind", "?"), fields.getOrDefault("module", "-"), text);
    } catch (SpawnerException e) {
      hear(container, "unreadable", "-", text);
    }
  }

  /** What its agent says. */
  void told(Container container, ObjectNode event) {
    hear(
        container,
        printable(event.path("event").asText(), NAME_CHARACTERS),
        printable(event.path("module").asText("-"), NAME_CHARACTERS),
        printable(event.path("reason").asText(""), REASON_CHARACTERS));
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

  private static String printable(String text, int characters) {
    return text.substring(0, Math.min(text.length(), characters)).replaceAll("\\p{Cntrl}", "?");
  }
}
