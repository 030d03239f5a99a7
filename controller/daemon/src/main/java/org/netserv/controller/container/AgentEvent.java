// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Set;

/**
 * An event of an agent. Each text is bounded and printable.
 *
 * @param kind {@code quarantined} or {@code leak}
 * @param module symbolic name, or {@code -} if the event names none
 * @param sha256 of the quarantined bundle, in hex; else empty
 */
public record AgentEvent(String kind, String module, String sha256, String reason) {
  private static final Set<String> KINDS = Set.of("quarantined", "leak");

  /** Makes an event that is about no bundle in particular. */
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

  /** Returns true if an agent may send this event. Only the host reports an exit or a crash. */
  boolean known() {
    return KINDS.contains(kind);
  }
}
