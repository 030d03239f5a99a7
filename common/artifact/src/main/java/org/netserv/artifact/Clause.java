// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A clause of an OSGi header: {@code path; path; attribute=value; directive:="value", next clause}.
 *
 * @param paths at least one
 * @param parameters attributes by name, directives by name and ':'
 */
record Clause(List<String> paths, Map<String, String> parameters) {

  /**
   * Reads a header's value; null when a quote does not end, a path is missing or a parameter comes
   * twice.
   */
  static List<Clause> parse(String header) {
    List<Clause> clauses = new ArrayList<>();
    List<String> texts = split(header, ',');
    if (texts == null) {
      return null;
    }
    for (String text : texts) {
      Clause clause = clause(text);
      if (clause == null) {
        return null;
      }
      clauses.add(clause);
    }
    return clauses;
  }

  String path() {
    return paths.get(0);
  }

  private static Clause clause(String text) {
    List<String> paths = new ArrayList<>();
    Map<String, String> parameters = new LinkedHashMap<>();
    List<String> parts = split(text, ';');
    if (parts == null) {
      return null;
    }
    for (String part : parts) {
      int equals = part.indexOf('=');
      if (equals < 0) {
        if (part.isBlank() || !parameters.isEmpty()) {
          return null;
        }
        paths.add(part.strip());
      } else if (parameters.put(
              part.substring(0, equals).strip(), unquote(part.substring(equals + 1)))
          != null) {
        return null;
      }
    }
    return paths.isEmpty() ? null : new Clause(paths, parameters);
  }

  private static String unquote(String text) {
    String value = text.strip();
    boolean quoted = value.length() >= 2 && value.startsWith("\"") && value.endsWith("\"");
    return quoted ? value.substring(1, value.length() - 1) : value;
  }

  private static List<String> split(String text, char separator) {
    List<String> parts = new ArrayList<>();
    boolean quoted = false;
    int start = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"') {
        quoted = !quoted;
      } else if (c == separator && !quoted) {
        parts.add(text.substring(start, i));
        start = i + 1;
      }
    }
    parts.add(text.substring(start));
    return quoted ? null : parts;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(String.join(";", paths));
    parameters.forEach(
        (name, value) -> text.append(';').append(name).append("=\"").append(value).append('"'));
    return text.toString();
  }
}
