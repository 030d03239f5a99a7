// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/**
 * Judges the load of a running node by the resources near their limits and the work refused for
 * them.
 */
public final class LoadCheck {
  private static final String CHECK = "load";

  private LoadCheck() {}

  /**
   * Examines the controller's and the signaling daemon's load.
   *
   * @param status the node's status
   */
  public static Finding examine(JsonNode status) {
    List<String> strained = strained(status.path("load"));
    String signaling = status.path("signaling").path("load").asText("");
    if (!signaling.isEmpty() && !signaling.equals("normal")) {
      strained.add("signaling is " + signaling);
    }
    return strained.isEmpty()
        ? Finding.ok(CHECK, "normal" + refused(status.path("load")))
        : Finding.warn(
            CHECK,
            String.join("; ", strained) + refused(status.path("load")),
            "look at `netserv node status` for the sources of this load; publishers keep their"
                + " share meanwhile");
  }

  /**
   * Describes the load in one line, with the resources above their limits and the work refused so
   * far.
   */
  public static String line(JsonNode load) {
    List<String> strained = strained(load);
    return (strained.isEmpty() ? "load: normal" : "LOAD: " + String.join("; ", strained))
        + refused(load);
  }

  private static List<String> strained(JsonNode load) {
    List<String> strained = new ArrayList<>();
    for (JsonNode resource : load.path("resources")) {
      if (!resource.path("state").asText().equals("normal")) {
        strained.add(
            "%s %s of %s: %s, refuses %s"
                .formatted(
                    resource.path("name").asText(),
                    resource.path("used").asText(),
                    resource.path("limit").asText(),
                    resource.path("state").asText(),
                    words(resource.path("refuses"))));
      }
    }
    return strained;
  }

  private static String refused(JsonNode load) {
    return load.path("refused").isEmpty() ? "" : "; refused so far: " + load.path("refused");
  }

  private static String words(JsonNode list) {
    List<String> words = new ArrayList<>();
    list.forEach(word -> words.add(word.asText()));
    return String.join(", ", words);
  }
}
