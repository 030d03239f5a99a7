// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import org.netserv.process.ForeignText;

/**
 * A value that the controller keeps of a container's message, with its bound. Three things are read
 * past and not kept: a value of another type, a field that no shape names, and elements beyond a
 * list's bound.
 */
@FunctionalInterface
interface Shape {
  JsonNodeFactory NODES = JsonNodeFactory.instance;

  /**
   * Reads the value that the parser's current token begins. Afterwards that token is the value's
   * last.
   *
   * @return null if the value is of another type
   */
  JsonNode read(JsonParser parser) throws IOException;

  /** A text of printable characters, at most {@code most} of them. */
  static Shape text(int most) {
    return parser ->
        parser.currentToken() == JsonToken.VALUE_STRING
            ? NODES.textNode(ForeignText.bounded(parser.getText(), most))
            : skip(parser);
  }

  /** Lines of printable characters, at most {@code most} characters together. */
  static Shape lines(int most) {
    return parser ->
        parser.currentToken() == JsonToken.VALUE_STRING
            ? NODES.textNode(printableLines(parser.getText(), most))
            : skip(parser);
  }

  private static String printableLines(String text, int most) {
    StringBuilder kept = new StringBuilder(Math.min(text.length(), most));
    for (int from = 0; from < text.length() && kept.length() < most; ) {
      int end = text.indexOf('\n', from);
      int to = end < 0 ? text.length() : end;
      kept.append(ForeignText.bounded(text.substring(from, to))).append('\n');
      from = to + 1;
    }
    kept.setLength(Math.min(kept.length(), most));
    return kept.toString();
  }

  /** An integer, moved into the range. */
  static Shape number(long least, long most) {
    return parser ->
        parser.currentToken() == JsonToken.VALUE_NUMBER_INT
            ? NODES.numberNode(clamped(parser, least, most))
            : skip(parser);
  }

  private static long clamped(JsonParser parser, long least, long most) throws IOException {
    return switch (parser.getNumberType()) {
      case INT, LONG -> Math.max(least, Math.min(most, parser.getLongValue()));
      default -> parser.getBigIntegerValue().signum() < 0 ? least : most;
    };
  }

  /** The status of a refusal. Any other number becomes {@code otherwise}. */
  static Shape status(int least, int most, int otherwise) {
    return parser -> {
      if (parser.currentToken() != JsonToken.VALUE_NUMBER_INT) {
        return skip(parser);
      }
      long said = clamped(parser, least - 1, most + 1);
      return NODES.numberNode(said < least || said > most ? otherwise : (int) said);
    };
  }

  /** true or false. */
  static Shape flag() {
    return parser ->
        switch (parser.currentToken()) {
          case VALUE_TRUE -> NODES.booleanNode(true);
          case VALUE_FALSE -> NODES.booleanNode(false);
          default -> skip(parser);
        };
  }

  /** One of the known words. */
  static Shape word(Set<String> known) {
    return parser ->
        parser.currentToken() == JsonToken.VALUE_STRING && known.contains(parser.getText())
            ? NODES.textNode(parser.getText())
            : skip(parser);
  }

  /** The first {@code most} elements that have this shape. */
  static Shape list(Shape element, int most) {
    return parser -> {
      if (parser.currentToken() != JsonToken.START_ARRAY) {
        return skip(parser);
      }
      ArrayNode list = NODES.arrayNode();
      while (parser.nextToken() != JsonToken.END_ARRAY) {
        JsonNode value = list.size() < most ? element.read(parser) : skip(parser);
        if (value != null) {
          list.add(value);
        }
      }
      return list;
    };
  }

  /** An object of these fields. */
  static Shape object(Map<String, Shape> fields) {
    return parser -> {
      if (parser.currentToken() != JsonToken.START_OBJECT) {
        return skip(parser);
      }
      ObjectNode object = NODES.objectNode();
      while (parser.nextToken() != JsonToken.END_OBJECT) {
        String name = parser.currentName();
        parser.nextToken();
        Shape shape = fields.get(name);
        JsonNode value = shape == null ? skip(parser) : shape.read(parser);
        if (value != null) {
          object.set(name, value);
        }
      }
      return object;
    };
  }

  /** An object of any names, printable and short, each with a value of this shape. */
  static Shape named(Shape value, int nameCharacters, int most) {
    return parser -> {
      if (parser.currentToken() != JsonToken.START_OBJECT) {
        return skip(parser);
      }
      ObjectNode object = NODES.objectNode();
      while (parser.nextToken() != JsonToken.END_OBJECT) {
        String name = ForeignText.bounded(parser.currentName(), nameCharacters);
        parser.nextToken();
        JsonNode read = object.size() < most ? value.read(parser) : skip(parser);
        if (read != null) {
          object.set(name, read);
        }
      }
      return object;
    };
  }

  private static JsonNode skip(JsonParser parser) throws IOException {
    parser.skipChildren();
    return null;
  }
}
