// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.netserv.values.BadValueException;

/**
 * The value of {@code properties}: {@code key=value,key=value}, in the order given.
 *
 * <p>A backslash makes the next character part of the text. The next character must be a comma, an
 * equals sign or a backslash. The first plain equals sign ends the key, and later ones belong to
 * the value. Printing escapes backslash and comma everywhere and the equals sign in keys only.
 * Values may be empty, keys may not. No key comes twice.
 */
public final class PropertyList {
  /** The most properties in one message. */
  public static final int MAX_COUNT = 128;

  private PropertyList() {}

  public static Map<String, String> parse(String text) throws BadValueException {
    Map<String, String> map = new LinkedHashMap<>();
    StringBuilder token = new StringBuilder();
    String key = null;
    if (text.isEmpty()) {
      return Map.of();
    }
    for (int i = 0; i <= text.length(); i++) {
      char c = i < text.length() ? text.charAt(i) : ',';
      if (c == '\\' && i < text.length()) {
        token.append(escaped(text, ++i));
      } else if (c == '=' && key == null) {
        key = token.toString();
        token.setLength(0);
      } else if (c == ',') {
        add(map, key, token.toString());
        key = null;
        token.setLength(0);
      } else {
        token.append(c);
      }
    }
    return Collections.unmodifiableMap(map);
  }

  public static String print(Map<String, String> properties) {
    StringBuilder text = new StringBuilder();
    properties.forEach(
        (key, value) -> {
          text.append(text.length() == 0 ? "" : ",");
          text.append(escape(key).replace("=", "\\=")).append('=').append(escape(value));
        });
    return text.toString();
  }

  private static String escape(String text) {
    return text.replace("\\", "\\\\").replace(",", "\\,");
  }

  private static char escaped(String text, int at) throws BadValueException {
    if (at == text.length() || "\\,=".indexOf(text.charAt(at)) < 0) {
      throw new BadValueException(
          "a backslash that is not before a comma, an equals sign or a backslash");
    }
    return text.charAt(at);
  }

  private static void add(Map<String, String> map, String key, String value)
      throws BadValueException {
    if (key == null) {
      throw new BadValueException("a property without '=': " + BadValueException.quote(value));
    }
    if (key.isEmpty()) {
      throw new BadValueException("a property without a key");
    }
    if (map.put(key, value) != null) {
      throw new BadValueException("a key twice: " + BadValueException.quote(key));
    }
    if (map.size() > MAX_COUNT) {
      throw new BadValueException("more than " + MAX_COUNT + " properties");
    }
  }
}
