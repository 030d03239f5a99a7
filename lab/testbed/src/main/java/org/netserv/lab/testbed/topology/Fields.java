// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.topology;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** A YAML mapping that is being checked. Every refusal names the path of its place. */
final class Fields {
  private final String path;
  private final ObjectNode object;

  private Fields(String path, ObjectNode object) {
    this.path = path;
    this.object = object;
  }

  static Fields of(String path, JsonNode node) throws TopologyException {
    if (node == null || node.isMissingNode() || node.isNull()) {
      return new Fields(path, JsonNodeFactory.instance.objectNode());
    }
    if (node instanceof ObjectNode object) {
      return new Fields(path, object);
    }
    throw new TopologyException((path.isEmpty() ? "file" : path) + ": expected a mapping");
  }

  String path(String key) {
    return path.isEmpty() ? key : path + "." + key;
  }

  TopologyException error(String key, String text) {
    return new TopologyException(path(key) + ": " + text);
  }

  ObjectNode object() {
    return object;
  }

  /** Refuses every other key. */
  Fields only(String... keys) throws TopologyException {
    Set<String> known = Set.of(keys);
    for (Map.Entry<String, JsonNode> field : object.properties()) {
      if (!known.contains(field.getKey())) {
        throw error(
            field.getKey(), "unknown key; known: " + String.join(", ", new TreeSet<>(known)));
      }
    }
    return this;
  }

  List<String> keys() {
    List<String> keys = new ArrayList<>();
    object.fieldNames().forEachRemaining(keys::add);
    return keys;
  }

  JsonNode get(String key) {
    return object.path(key);
  }

  Fields fields(String key) throws TopologyException {
    return of(path(key), object.path(key));
  }

  String text(String key) throws TopologyException {
    JsonNode node = object.path(key);
    if (!node.isValueNode() || node.isNull() || node.asText().isEmpty()) {
      throw error(key, "expected a text");
    }
    return node.asText();
  }

  boolean flag(String key) throws TopologyException {
    JsonNode node = object.path(key);
    if (!node.isMissingNode() && !node.isBoolean()) {
      throw error(key, "expected true or false");
    }
    return node.asBoolean(false);
  }

  double number(String key, double least, double most, double otherwise) throws TopologyException {
    JsonNode node = object.path(key);
    if (node.isMissingNode()) {
      return otherwise;
    }
    if (!node.isNumber() || !(node.asDouble() >= least && node.asDouble() <= most)) {
      throw error(key, "expected a number from " + least + " to " + most);
    }
    return node.asDouble();
  }

  long integer(String key, long least, long most, long otherwise) throws TopologyException {
    JsonNode node = object.path(key);
    if (node.isMissingNode()) {
      return otherwise;
    }
    if (!node.isIntegralNumber() || node.asLong() < least || node.asLong() > most) {
      throw error(key, "expected a whole number from " + least + " to " + most);
    }
    return node.asLong();
  }

  /** Returns a list, which is empty if the key is absent. */
  List<JsonNode> list(String key) throws TopologyException {
    JsonNode node = object.path(key);
    if (!node.isMissingNode() && !node.isArray()) {
      throw error(key, "expected a list");
    }
    List<JsonNode> items = new ArrayList<>();
    node.forEach(items::add);
    return items;
  }

  List<String> texts(String key) throws TopologyException {
    List<String> texts = new ArrayList<>();
    for (JsonNode item : list(key)) {
      if (!item.isTextual() || item.asText().isBlank()) {
        throw error(key + "[" + texts.size() + "]", "expected a text");
      }
      texts.add(item.asText());
    }
    return texts;
  }
}
