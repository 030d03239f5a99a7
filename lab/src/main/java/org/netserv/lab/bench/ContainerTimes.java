// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How long containers took from the order to the agent's greeting, by the controller's log. */
final class ContainerTimes {
  private static final Pattern STEP =
      Pattern.compile(
          "^(\\S+) INFO Containers: container (\\S+): \\S+ -> (STARTING|READY): .*$",
          Pattern.MULTILINE);

  private ContainerTimes() {}

  /** Milliseconds of every start that the log tells of. */
  static Figures read(Path controllerLog) throws IOException {
    Figures times = new Figures();
    Map<String, Instant> started = new HashMap<>();
    Matcher steps = STEP.matcher(Files.readString(controllerLog, StandardCharsets.ISO_8859_1));
    while (steps.find()) {
      Instant at = Instant.parse(steps.group(1));
      if (steps.group(3).equals("STARTING")) {
        started.put(steps.group(2), at);
      } else if (started.containsKey(steps.group(2))) {
        times.add(Duration.between(started.remove(steps.group(2)), at).toNanos() / 1e6);
      }
    }
    return times;
  }
}
