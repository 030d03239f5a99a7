// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/**
 * The part of an agent's hello that counts.
 *
 * @param protocol empty if the hello names none
 * @param modules the modules in its container
 */
public record AgentHello(String protocol, List<Module> modules) {

  /**
   * A module in a container.
   *
   * @param sha256 of its bundle, in hex
   * @param quarantined the dispatcher gives it no packets
   * @param reason of the quarantine, bounded; else empty
   */
  public record Module(String name, String sha256, boolean quarantined, String reason) {}

  /** A hello of these modules. */
  public static AgentHello of(List<Module> modules) {
    return new AgentHello("1.0", List.copyOf(modules));
  }

  static AgentHello of(AgentText text) {
    ObjectNode json = text.read(AgentShapes.HELLO);
    List<Module> modules = new ArrayList<>();
    for (JsonNode module : json.path("modules")) {
      modules.add(
          new Module(
              module.path("module").asText(""),
              module.path("sha256").asText(""),
              module.path("state").asText("").equals("quarantined"),
              module.path("reason").asText("")));
    }
    return new AgentHello(json.path("hello").path("protocol").asText(""), List.copyOf(modules));
  }
}
