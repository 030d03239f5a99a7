// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.JsonNodePath;
import com.networknt.schema.ValidationMessage;

/** Explains to people why a schema refuses a value. */
final class SchemaMessage {
  private SchemaMessage() {}

  /**
   * Returns the JSON path of the value. For an unknown or missing key, returns the path of the key
   * itself.
   */
  static String path(ValidationMessage message) {
    String path = print(message.getInstanceLocation());
    return message.getProperty() == null ? path : path + "." + message.getProperty();
  }

  /** Prints a path as {@code $.a-b[0]}, where the library would write {@code $['a-b'][0]}. */
  private static String print(JsonNodePath location) {
    StringBuilder path = new StringBuilder("$");
    for (int i = 0; i < location.getNameCount(); i++) {
      if (location.getElement(i) instanceof Integer index) {
        path.append('[').append(index.intValue()).append(']');
      } else {
        path.append('.').append(location.getElement(i));
      }
    }
    return path.toString();
  }

  static String text(ValidationMessage message) {
    JsonNode rule = message.getSchemaNode();
    String value = message.getInstanceNode() == null ? "" : message.getInstanceNode().toString();
    return switch (message.getType()) {
      case "additionalProperties" -> "unknown key";
      case "required" -> "missing";
      case "minimum" -> value + " is below " + rule;
      case "maximum" -> value + " is above " + rule;
      case "type" -> value + " is not of type " + rule.asText();
      case "enum" -> value + " is not one of " + rule;
      case "pattern" -> value + " is not of the form " + rule.asText();
      case "uniqueItems" -> "the same twice in the list";
      case "minItems" -> "fewer than " + rule + " in the list";
      case "maxItems" -> "more than " + rule + " in the list";
      default -> message.getError();
    };
  }
}
