// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Start times of containers, read from the controller's log. A start time runs from the order to
 * the agent's greeting. Containers started for the order and containers taken from the spares are
 * counted apart.
 *
 * <pre>
 *   IDLE -> STARTING       a module needs it
 *   STARTING -> GREETING   started | started from a spare
 *   GREETING -> READY
 * </pre>
 *
 * The time is taken from STARTING to READY, because an agent may greet before the start is
 * answered. A start that fails, or is cancelled, does not count.
 */
final class ContainerTimes {
  private static final Pattern STEP =
      Pattern.compile(
          "^(\\S+) INFO Containers: container (\\S+): \\S+ -> ([A-Z]+): (.*)$", Pattern.MULTILINE);

  private static final String FROM_SPARE = "started from a spare";

  private final Figures cold = new Figures();
  private final Figures spare = new Figures();

  private ContainerTimes() {}

  /** Reads the start times in milliseconds from a controller's log. */
  static ContainerTimes read(String controllerLog) {
    return read(controllerLog, container -> true);
  }

  /** Reads the start times of the containers with these names. */
  static ContainerTimes read(String controllerLog, Predicate<String> names) {
    ContainerTimes times = new ContainerTimes();
    Map<String, Instant> started = new HashMap<>();
    Set<String> spares = new TreeSet<>();
    Matcher steps = STEP.matcher(controllerLog);
    while (steps.find()) {
      String container = steps.group(2);
      if (!names.test(container)) {
        continue;
      }
      Instant at = Instant.parse(steps.group(1));
      switch (steps.group(3)) {
        case "STARTING" -> {
          started.put(container, at);
          spares.remove(container);
        }
        case "GREETING" -> {
          if (steps.group(4).equals(FROM_SPARE)) {
            spares.add(container);
          }
        }
        case "READY" -> {
          if (started.containsKey(container)) {
            Figures figures = spares.contains(container) ? times.spare : times.cold;
            figures.add(Duration.between(started.remove(container), at).toNanos() / 1e6);
          }
        }
        default -> started.remove(container);
      }
    }
    return times;
  }

  /** Returns the times of containers that were started for the order. */
  Figures cold() {
    return cold;
  }

  /** Returns the times of containers that had been spares. */
  Figures spare() {
    return spare;
  }
}
