// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.Testbed;

/** The milliseconds that each step of a module's last SETUP took on a node, by its history. */
final class SetupSteps {
  private static final String FIRST = "accepted";
  private static final String LAST = "running";

  private SetupSteps() {}

  /** Returns the steps in words. */
  static String of(Testbed testbed, String node, String publisher, String module)
      throws IOException {
    try (NodeClient client = testbed.client(node)) {
      return text(client.why(publisher, module).path("history"));
    }
  }

  private static String text(JsonNode history) {
    Map<String, Long> steps = new LinkedHashMap<>();
    String state = LAST;
    Instant since = Instant.EPOCH;
    for (JsonNode entry : history) {
      Instant time = Instant.parse(entry.path("time").asText());
      String next = entry.path("state").asText();
      if (next.equals(FIRST) && !state.equals(FIRST)) {
        steps.clear();
      } else if (!state.equals(LAST)) {
        steps.merge(state, Duration.between(since, time).toMillis(), Long::sum);
      }
      state = next;
      since = time;
    }
    return steps.entrySet().stream()
        .map(step -> step.getKey() + " " + step.getValue() + " ms")
        .collect(Collectors.joining(", "));
  }
}
