// SPDX-License-Identifier: Apache-2.0
package org.netserv.agent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Dictionary;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.netserv.dispatcher.PacketFilter;
import org.osgi.framework.FrameworkUtil;

/** Fields of a request, checked. Each refusal names the field. */
record Request(ObjectNode json) {
  private static final int MOST_FILTERS = 64;

  String op() {
    return json.path("op").asText("");
  }

  String text(String field) throws Refusal {
    JsonNode node = json.path(field);
    if (!node.isTextual() || node.textValue().isEmpty()) {
      throw Refusal.bad(field + ": a text is needed");
    }
    return node.textValue();
  }

  int number(String field, int least, int most) throws Refusal {
    JsonNode node = json.path(field);
    if (!node.canConvertToInt() || node.intValue() < least || node.intValue() > most) {
      throw Refusal.bad(field + ": a number from " + least + " to " + most + " is needed");
    }
    return node.intValue();
  }

  /** The module's properties as Configuration Admin takes them. */
  Dictionary<String, Object> properties() throws Refusal {
    Map<String, Object> properties = new HashMap<>();
    JsonNode node = json.path("properties");
    if (!node.isMissingNode() && !node.isObject()) {
      throw Refusal.bad("properties: an object is needed");
    }
    for (Map.Entry<String, JsonNode> entry : node.properties()) {
      if (!entry.getValue().isTextual() || entry.getKey().isEmpty()) {
        throw Refusal.bad("properties." + entry.getKey() + ": a text is needed");
      }
      properties.put(entry.getKey(), entry.getValue().textValue());
    }
    return FrameworkUtil.asDictionary(properties);
  }

  List<PacketFilter> filters() throws Refusal {
    JsonNode node = json.path("filters");
    if (!node.isMissingNode() && !node.isArray()) {
      throw Refusal.bad("filters: an array is needed");
    }
    if (node.size() > MOST_FILTERS) {
      throw Refusal.bad("filters: at most " + MOST_FILTERS);
    }
    List<PacketFilter> filters = new ArrayList<>();
    for (JsonNode filter : node) {
      try {
        filters.add(
            PacketFilter.of(
                    filter.path("family").asInt(),
                    filter.path("protocol").asInt(),
                    filter.path("source").asText(null),
                    filter.path("destination").asText(null),
                    filter.path("sourcePorts").asText(null),
                    filter.path("destinationPorts").asText(null),
                    filter.path("sample").asInt(),
                    filter.path("synOnly").asBoolean())
                .with(filter.path("match").asText(null)));
      } catch (IllegalArgumentException e) {
        throw Refusal.bad("filters[" + filters.size() + "]: " + e.getMessage());
      }
    }
    return filters;
  }
}
