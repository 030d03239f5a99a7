// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.topology;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Lays a topology file that {@code extends} another one over that base. The file has the
 * differences only:
 *
 * <ul>
 *   <li>Mappings are laid over each other key by key. {@code null} takes a key away.
 *   <li>A link takes the place of the links of the base that use one of its ends.
 *   <li>Every other value replaces the base's value, lists included.
 * </ul>
 */
final class Overlay {
  private static final String LINKS = "links";
  private static final String ENDS = "ends";

  private Overlay() {}

  /** Returns the base with the differences laid over it. Neither argument is changed. */
  static ObjectNode over(ObjectNode base, ObjectNode differences) {
    ObjectNode result = base.deepCopy();
    for (Map.Entry<String, JsonNode> field : differences.properties()) {
      boolean links = field.getKey().equals(LINKS);
      if (links && result.path(LINKS) instanceof ArrayNode old && field.getValue().isArray()) {
        result.set(LINKS, links(old, field.getValue()));
      } else {
        put(result, field.getKey(), field.getValue());
      }
    }
    return result;
  }

  private static void merge(ObjectNode into, ObjectNode differences) {
    differences.properties().forEach(field -> put(into, field.getKey(), field.getValue()));
  }

  private static void put(ObjectNode into, String key, JsonNode value) {
    if (value.isNull()) {
      into.remove(key);
    } else if (into.path(key) instanceof ObjectNode old && value instanceof ObjectNode more) {
      merge(old, more);
    } else {
      into.set(key, value.deepCopy());
    }
  }

  private static ArrayNode links(ArrayNode base, JsonNode differences) {
    Set<String> taken = new HashSet<>();
    differences.forEach(link -> link.path(ENDS).forEach(end -> taken.add(end.asText())));
    ArrayNode result = base.arrayNode();
    for (JsonNode link : base) {
      boolean kept = true;
      for (JsonNode end : link.path(ENDS)) {
        kept &= !taken.contains(end.asText());
      }
      if (kept) {
        result.add(link.deepCopy());
      }
    }
    differences.forEach(link -> result.add(link.deepCopy()));
    return result;
  }
}
