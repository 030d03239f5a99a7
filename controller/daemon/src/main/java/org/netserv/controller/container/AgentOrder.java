// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import org.netserv.filter.FlowFilter;
import org.netserv.frames.Json;
import org.netserv.values.PortRange;

/**
 * A change that an agent is ordered to make, in docs/protocols/container.md.
 *
 * @param op {@code prepare}, {@code install}, {@code configure} or {@code uninstall}
 * @param module symbolic name
 * @param bundle of a prepare and an install; else null
 * @param settings of an install and a configure; else null
 */
public record AgentOrder(String op, String module, Bundle bundle, Settings settings) {

  /**
   * The bundle whose bytes follow the order.
   *
   * @param sha256 in hex
   * @param size in bytes; 0 = none follow, because the agent has it prepared
   */
  public record Bundle(String version, String sha256, long size) {}

  /** Properties and filters of a module. */
  public record Settings(Map<String, String> properties, List<FlowFilter> filters) {}

  public static AgentOrder prepare(String module, Bundle bundle) {
    return new AgentOrder("prepare", module, bundle, null);
  }

  public static AgentOrder install(String module, Bundle bundle, Settings settings) {
    return new AgentOrder("install", module, bundle, settings);
  }

  public static AgentOrder configure(String module, Settings settings) {
    return new AgentOrder("configure", module, null, settings);
  }

  public static AgentOrder uninstall(String module) {
    return new AgentOrder("uninstall", module, null, null);
  }

  /** Returns the order as it goes over the socket, without its {@code id}. */
  public ObjectNode json() {
    ObjectNode json = Json.object().put("op", op).put("module", module);
    if (bundle != null) {
      json.put("version", bundle.version())
          .put("sha256", bundle.sha256())
          .put("size", bundle.size());
    }
    if (settings != null) {
      ObjectNode properties = json.putObject("properties");
      settings.properties().forEach(properties::put);
      filters(json.putArray("filters"), settings.filters());
    }
    return json;
  }

  private static void filters(ArrayNode to, List<FlowFilter> filters) {
    for (FlowFilter filter : filters) {
      if (filter.count() != null || filter.takes()) {
        continue; // no packet of a filter that counts or takes comes to the container
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
