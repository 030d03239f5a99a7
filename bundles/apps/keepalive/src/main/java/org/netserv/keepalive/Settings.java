// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.netserv.sip.IpLiteral;

/**
 * Reads properties by name and kind. All come as text. Lists are separated by blanks, commas or
 * semicolons (a property in a SETUP cannot hold a comma). Each reader throws an
 * IllegalArgumentException that begins with the name of the property that is wrong.
 */
final class Settings {
  private final Map<String, ?> properties;

  Settings(Map<String, ?> properties) {
    this.properties = properties;
  }

  /** Returns the text without blanks around it. */
  String text(String name, String absent) {
    Object value = properties.get(name);
    return value == null ? absent : value.toString().strip();
  }

  List<String> list(String name, String absent) {
    String text = text(name, absent);
    return text.isEmpty() ? List.of() : List.of(text.split("[\\s,;]+"));
  }

  int number(String name, int absent, int least, int most) {
    String text = text(name, Integer.toString(absent));
    if (!text.matches("[0-9]{1,9}")) {
      throw new IllegalArgumentException(name + ": not a number: " + text);
    }
    int value = Integer.parseInt(text);
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          name + ": " + value + " is not between " + least + " and " + most);
    }
    return value;
  }

  boolean onOff(String name) {
    String text = text(name, "on").toLowerCase(Locale.ROOT);
    return switch (text) {
      case "on", "true" -> true;
      case "off", "false" -> false;
      default -> throw new IllegalArgumentException(name + ": neither on nor off: " + text);
    };
  }

  /**
   * Reads {@code 192.0.2.1:port} or {@code [2001:db8::1]:port}; null if the property is absent.
   * Names are not resolved here.
   */
  InetSocketAddress address(String name) {
    String text = text(name, "");
    if (text.isEmpty()) {
      return null;
    }
    int colon = text.lastIndexOf(':');
    ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    IpLiteral literal = new IpLiteral();
    literal.reset(bytes, 0, Math.max(colon, 0));
    boolean bracketed = text.startsWith("[");
    String port = text.substring(colon + 1);
    if (literal.family() == 0
        || bracketed != (literal.family() == 6)
        || !port.matches("[0-9]{1,5}")
        || Integer.parseInt(port) < 1
        || Integer.parseInt(port) > 0xffff) {
      throw new IllegalArgumentException(name + ": not ADDRESS:PORT: " + text);
    }
    return new Server(literal.high(), literal.low(), Integer.parseInt(port)).address();
  }
}
