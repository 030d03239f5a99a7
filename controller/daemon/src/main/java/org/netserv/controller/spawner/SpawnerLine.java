// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.spawner;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One line of the spawner's socket: {@code verb key=value key=value}. Values are percent-encoded
 * where they hold space, {@code %}, {@code =} or a byte outside 0x21-0x7e.
 *
 * @param verb first word
 * @param values decoded, in the order of the line
 */
public record SpawnerLine(String verb, Map<String, String> values) {
  /** Longest line in bytes, LF included. */
  public static final int MAX = 16384;

  private static final char[] HEX = "0123456789ABCDEF".toCharArray();

  /** Returns the line without its LF. */
  public String print() {
    StringBuilder line = new StringBuilder(verb);
    values.forEach((key, value) -> line.append(' ').append(key).append('=').append(encode(value)));
    return line.toString();
  }

  /**
   * Reads a line.
   *
   * @param line without its LF
   * @throws SpawnerException for a word without {@code =}, a repeated key or a bad percent code,
   *     which it names
   */
  public static SpawnerLine parse(String line) throws SpawnerException {
    String[] words = line.split(" ", -1);
    Map<String, String> values = new LinkedHashMap<>();
    int first = words[0].equals("event") && words.length > 1 ? 2 : 1;
    String verb = first == 2 ? "event " + words[1] : words[0];
    for (int i = first; i < words.length; i++) {
      int equals = words[i].indexOf('=');
      if (equals < 1) {
        throw new SpawnerException("word without key: " + clipped(words[i]));
      }
      String key = words[i].substring(0, equals);
      if (values.put(key, decode(words[i].substring(equals + 1))) != null) {
        throw new SpawnerException("key repeated: " + clipped(key));
      }
    }
    return new SpawnerLine(verb, values);
  }

  private static String encode(String value) {
    StringBuilder out = new StringBuilder(value.length());
    for (byte b : value.getBytes(StandardCharsets.UTF_8)) {
      int c = b & 0xff;
      if (c < 0x21 || c > 0x7e || c == '%' || c == '=') {
        out.append('%').append(HEX[c >> 4]).append(HEX[c & 15]);
      } else {
        out.append((char) c);
      }
    }
    return out.toString();
  }

  private static String decode(String text) throws SpawnerException {
    byte[] out = new byte[text.length()];
    int length = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c != '%') {
        out[length++] = (byte) c;
        continue;
      }
      int high = i + 2 < text.length() ? Character.digit(text.charAt(i + 1), 16) : -1;
      int low = i + 2 < text.length() ? Character.digit(text.charAt(i + 2), 16) : -1;
      if (high < 0 || low < 0) {
        throw new SpawnerException("bad percent code: " + clipped(text));
      }
      out[length++] = (byte) (high << 4 | low);
      i += 2;
    }
    return new String(out, 0, length, StandardCharsets.UTF_8);
  }

  private static String clipped(String text) {
    return text.length() > 64 ? text.substring(0, 64) : text;
  }
}
