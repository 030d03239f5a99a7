// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import org.netserv.controller.loop.Loop;
import org.netserv.frames.Json;
import org.netserv.process.LoadState;

/**
 * The last report of the signaling daemon about itself. Keeps only the numbers of known groups, and
 * a bounded number of them. On the loop.
 */
final class SignalingReport {
  /** Milliseconds after which the last report is stale. The daemon is then taken to be gone. */
  static final long FRESH_MILLIS = 6_000;

  private static final List<String> GROUPS =
      List.of("state", "gist", "associations", "nslp", "sigio", "load");
  private static final int NAMES_MAX = 256;
  private static final String NAME = "[a-z0-9-]{1,40}";

  private final Loop loop;
  private ObjectNode last;
  private long at;

  SignalingReport(Loop loop) {
    this.loop = loop;
  }

  void take(ObjectNode request) {
    ObjectNode report = Json.object();
    for (String group : GROUPS) {
      copy(request.path(group), report.putObject(group));
    }
    last = report;
    at = loop.monotonic();
  }

  private static void copy(JsonNode from, ObjectNode to) {
    for (Map.Entry<String, JsonNode> entry : from.properties()) {
      if (to.size() < NAMES_MAX
          && entry.getKey().matches(NAME)
          && entry.getValue().isIntegralNumber()) {
        to.put(entry.getKey(), entry.getValue().asLong());
      }
    }
  }

  /** Returns true while the last report is fresh. */
  boolean running() {
    return last != null && loop.monotonic() - at <= FRESH_MILLIS;
  }

  /** Returns, for {@code status}, whether the daemon runs and the numbers of its present state. */
  ObjectNode status() {
    ObjectNode status = Json.object().put("running", running());
    if (running()) {
      last.path("state").properties().forEach(e -> status.set(e.getKey(), e.getValue()));
      LoadState.of(last.path("load").path("state").asInt())
          .ifPresent(s -> status.put("load", s.word()));
    }
    return status;
  }

  /**
   * Returns, for {@code counters}, the last report without its state, however old the report is;
   * empty before the first.
   */
  ObjectNode counters() {
    ObjectNode counters = last == null ? Json.object() : last.deepCopy();
    counters.remove("state");
    return counters;
  }
}
