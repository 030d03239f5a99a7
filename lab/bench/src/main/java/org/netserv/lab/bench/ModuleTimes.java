// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The times of the steps of a module on its way up, read from the controller's log.
 *
 * <pre>
 *   accepted - fetching - starting-container - installing - claiming - running
 * </pre>
 */
final class ModuleTimes {
  private static final Pattern STATE =
      Pattern.compile(
          "^(\\S+) INFO Modules: module ([^/]+)/\\S+ \\S+: ([a-z-]+): ", Pattern.MULTILINE);

  /** A state on the way up, in order. Each ends with the next one. */
  enum Step {
    FETCHING("fetched and verified"),
    STARTING_CONTAINER("container is ready"),
    INSTALLING("installed and started"),
    CLAIMING("filters written");

    private final String done;

    Step(String done) {
      this.done = done;
    }

    /** Returns the words for the end of the step. */
    String done() {
      return done;
    }

    private String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  private ModuleTimes() {}

  /**
   * Returns the milliseconds of each step of the publisher's module, at its last way up.
   *
   * @param controllerLog a log in which the module has been accepted
   */
  static Map<Step, Double> last(String controllerLog, String publisher) {
    Map<Step, Double> times = new EnumMap<>(Step.class);
    Step under = null;
    Instant since = null;
    Matcher states = STATE.matcher(controllerLog);
    while (states.find()) {
      if (!states.group(2).equals(publisher)) {
        continue;
      }
      Instant at = Instant.parse(states.group(1));
      if (states.group(3).equals("accepted")) {
        times.clear();
      }
      if (under != null) {
        times.put(under, Duration.between(since, at).toNanos() / 1e6);
      }
      under = step(states.group(3));
      since = at;
    }
    return times;
  }

  private static Step step(String state) {
    for (Step step : Step.values()) {
      if (step.text().equals(state)) {
        return step;
      }
    }
    return null;
  }
}
