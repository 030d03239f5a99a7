// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** Line numbers of the values in a YAML file, by JSON path. */
final class YamlLines {
  private final Map<String, Integer> lines = new HashMap<>();

  YamlLines(ObjectMapper yaml, byte[] content) {
    try (JsonParser parser = yaml.createParser(content)) {
      for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
        if (token != JsonToken.END_ARRAY && token != JsonToken.END_OBJECT) {
          boolean opens = token == JsonToken.START_ARRAY || token == JsonToken.START_OBJECT;
          JsonStreamContext context = parser.getParsingContext();
          // An opened container is its own context already; its place is the parent's.
          String path = path(opens ? context.getParent() : context);
          lines.putIfAbsent(path, parser.currentTokenLocation().getLineNr());
        }
      }
    } catch (IOException e) {
      // The same bytes were read a moment ago. A message without line numbers still helps.
      lines.clear();
    }
  }

  /**
   * Returns the line, from 1. For an absent path, returns the line of the nearest path above; 0 =
   * not known.
   */
  int of(String path) {
    String nearest = path;
    while (!lines.containsKey(nearest)) {
      int cut = Math.max(nearest.lastIndexOf('.'), nearest.lastIndexOf('['));
      if (cut <= 0) {
        return 0;
      }
      nearest = nearest.substring(0, cut);
    }
    return lines.get(nearest);
  }

  private static String path(JsonStreamContext context) {
    if (context == null || context.inRoot()) {
      return "$";
    }
    String above = path(context.getParent());
    return context.inArray()
        ? above + "[" + context.getCurrentIndex() + "]"
        : above + "." + context.getCurrentName();
  }
}
