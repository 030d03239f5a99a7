// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.module;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import org.netserv.filter.FlowFilter;
import org.netserv.frames.Json;
import org.netserv.values.PortRange;

/** The requests of docs/protocols/container.md about modules. */
final class AgentOps {
  private AgentOps() {}

  /**
   * Makes the request that the bundle's bytes follow.
   *
   * @param size of the bundle in bytes
   */
  static ObjectNode install(ModuleOrder order, String sha256, long size) {
    ObjectNode op =
        op("install", order)
            .put("version", order.version())
            .put("sha256", sha256)
            .put("size", size);
    return settings(op, order);
  }

  static ObjectNode configure(ModuleOrder order) {
    return settings(op("configure", order), order);
  }

  static ObjectNode uninstall(String module) {
    return Json.object().put("op", "uninstall").put("module", module);
  }

  private static ObjectNode op(String name, ModuleOrder order) {
    return Json.object().put("op", name).put("module", order.key().module());
  }

  private static ObjectNode settings(ObjectNode op, ModuleOrder order) {
    properties(op.putObject("properties"), order.properties());
    filters(op.putArray("filters"), order.filters());
    return op;
  }

  private static void properties(ObjectNode to, Map<String, String> properties) {
    properties.forEach(to::put);
  }

  static void filters(ArrayNode to, List<FlowFilter> filters) {
    for (FlowFilter filter : filters) {
      if (filter.count() != null) {
        continue; // no packet of a counting filter comes to the container
      }
      to.addObject()
          .put("family", filter.family())
          .put("protocol", filter.protocol())
          .put("destination", filter.destination().toString())
          .put("source", filter.source() == null ? null : filter.source().toString())
          .put("destinationPorts", range(filter.destinationPorts()))
          .put("sourcePorts", range(filter.sourcePorts()))
          .put("sample", filter.sample())
          .put("synOnly", filter.synOnly())
          .put("match", filter.match());
    }
  }

  private static String range(PortRange ports) {
    return ports == null ? null : ports.first() + "-" + ports.last();
  }
}
