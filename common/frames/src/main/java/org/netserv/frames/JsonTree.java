// SPDX-License-Identifier: Apache-2.0
package org.netserv.frames;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Map;

/**
 * Trees from tokens and back. Jackson's mapper would do it, too, but with it come the 400 classes
 * that it binds Java types with, into every container and at the start of each.
 */
final class JsonTree {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private JsonTree() {}

  /**
   * The value that the parser's current token begins; afterwards that token is the value's last.
   * The parser limits the depth.
   */
  static JsonNode read(JsonParser parser) throws IOException {
    return switch (parser.currentToken()) {
      case START_OBJECT -> readObject(parser);
      case START_ARRAY -> readArray(parser);
      case VALUE_STRING -> NODES.textNode(parser.getText());
      case VALUE_NUMBER_INT -> readInteger(parser);
      case VALUE_NUMBER_FLOAT -> NODES.numberNode(parser.getDoubleValue());
      case VALUE_TRUE -> NODES.booleanNode(true);
      case VALUE_FALSE -> NODES.booleanNode(false);
      default -> NODES.nullNode();
    };
  }

  private static ObjectNode readObject(JsonParser parser) throws IOException {
    ObjectNode object = NODES.objectNode();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      parser.nextToken();
      object.set(name, read(parser));
    }
    return object;
  }

  private static ArrayNode readArray(JsonParser parser) throws IOException {
    ArrayNode array = NODES.arrayNode();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      array.add(read(parser));
    }
    return array;
  }

  private static JsonNode readInteger(JsonParser parser) throws IOException {
    return switch (parser.getNumberType()) {
      case INT -> NODES.numberNode(parser.getIntValue());
      case LONG -> NODES.numberNode(parser.getLongValue());
      default -> NODES.numberNode(parser.getBigIntegerValue());
    };
  }

  static void write(JsonNode node, JsonGenerator out) throws IOException {
    switch (node.getNodeType()) {
      case OBJECT -> writeObject(node, out);
      case ARRAY -> writeArray(node, out);
      case STRING -> out.writeString(node.textValue());
      case NUMBER -> writeNumber(node, out);
      case BOOLEAN -> out.writeBoolean(node.booleanValue());
      case NULL, MISSING -> out.writeNull();
      default -> throw new IllegalArgumentException("no JSON: " + node.getNodeType());
    }
  }

  private static void writeObject(JsonNode object, JsonGenerator out) throws IOException {
    out.writeStartObject();
    for (Map.Entry<String, JsonNode> field : object.properties()) {
      out.writeFieldName(field.getKey());
      write(field.getValue(), out);
    }
    out.writeEndObject();
  }

  private static void writeArray(JsonNode array, JsonGenerator out) throws IOException {
    out.writeStartArray();
    for (JsonNode element : array) {
      write(element, out);
    }
    out.writeEndArray();
  }

  private static void writeNumber(JsonNode number, JsonGenerator out) throws IOException {
    switch (number.numberType()) {
      case INT, LONG -> out.writeNumber(number.longValue());
      case FLOAT -> out.writeNumber(number.floatValue());
      case DOUBLE -> out.writeNumber(number.doubleValue());
      case BIG_INTEGER -> out.writeNumber(number.bigIntegerValue());
      default -> out.writeNumber(number.decimalValue());
    }
  }
}
