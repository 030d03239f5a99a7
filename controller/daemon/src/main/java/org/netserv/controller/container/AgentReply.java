// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.OptionalInt;

/**
 * The answer to an {@link AgentOrder}. Each text of an agent is bounded and printable.
 *
 * @param status of a refusal, 400 to 599; empty if the agent names none
 * @param phase of the module's life that failed; empty if the agent names none
 * @param error reason of a refusal; empty if the agent gives none
 * @param silent true if the agent did not answer and the answer was made here
 */
public record AgentReply(
    boolean ok, OptionalInt status, String phase, String error, boolean silent) {

  public static AgentReply of(ObjectNode json) {
    return new AgentReply(
        json.path("ok").asBoolean(),
        json.path("status").isInt()
            ? OptionalInt.of(json.path("status").asInt())
            : OptionalInt.empty(),
        json.path("phase").asText(""),
        json.path("error").asText(""),
        json.path("here").asBoolean());
  }

  /** Returns true if a module took too long. */
  public boolean timedOut() {
    return phase.equals("timeout");
  }

  /** Returns true if the publisher's file system had no room for the bundle. */
  public boolean noRoom() {
    return phase.equals("storage");
  }

  /** Returns the reason of a refusal, with the phase if there is one. */
  public String reason() {
    return (phase.isEmpty() ? "" : phase + ": ") + (error.isEmpty() ? "no reason given" : error);
  }
}
