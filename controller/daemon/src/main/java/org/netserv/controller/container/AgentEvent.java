// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Set;

/**
 * An event of an agent; each text is bounded and printable.
 *
 * @param kind {@code quarantined} or {@code leak}
 * @param module symbolic name, or {@code -} if it says none
 * @param sha256 of the bundle that is quarantined, in hex; else empty
 */
public record AgentEvent(String kind, String module, String sha256, String reason) {
  private static final Set<String> KINDS = Set.of("quarantined", "leak");

  /** An event that is about no bundle in particular. */
  public AgentEvent(String kind, String module, String reason) {
    this(kind, module, "", reason);
  }

  static AgentEvent of(AgentText text) {
    ObjectNode json = text.read(AgentShapes.EVENT);
    return new AgentEvent(
        json.path("event").asText(""),
        json.path("module").asText("-"),
        json.path("sha256").asText(""),
        json.path("reason").asText(""));
  }

  /** Whether an agent may say this. An exit or a crash is the host's to report. */
  boolean known() {
    return KINDS.contains(kind);
  }
}
