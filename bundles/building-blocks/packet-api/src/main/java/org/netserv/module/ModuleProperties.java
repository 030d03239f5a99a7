// SPDX-License-Identifier: Apache-2.0
package org.netserv.module;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Reads a module's properties by name and kind. All come as text. Lists are separated by blanks,
 * commas or semicolons (a property in a SETUP cannot hold a comma). Each reader throws an
 * IllegalArgumentException that begins with the name of the property that is wrong. Immutable.
 */
public final class ModuleProperties {
  private static final int PORT_MOST = 0xffff;

  private final Map<String, ?> properties;

  /**
   * Takes properties.
   *
   * @param properties as the framework hands them over; not copied
   */
  public ModuleProperties(Map<String, ?> properties) {
    this.properties = properties;
  }

  /** Returns the text without blanks around it, or {@code absent}, which may be null. */
  public String text(String name, String absent) {
    Object value = properties.get(name);
    return value == null ? absent : value.toString().strip();
  }

  /** Returns the members of a list, none for an empty text. */
  public List<String> list(String name, String absent) {
    String text = text(name, absent);
    return text.isEmpty() ? List.of() : List.of(text.split("[\\s,;]+"));
  }

  /** Returns a number between {@code least} and {@code most}, which are at most 999,999,999. */
  public int number(String name, int absent, int least, int most) {
    return number(name, text(name, Integer.toString(absent)), least, most);
  }

  /** Reads a text that is a part of the property, as {@link #number(String, int, int, int)}. */
  public static int number(String name, String text, int least, int most) {
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

  /** Reads {@code on} or {@code true}, {@code off} or {@code false}, in any case of letters. */
  public boolean onOff(String name, boolean absent) {
    String text = text(name, absent ? "on" : "off");
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "on", "true" -> true;
      case "off", "false" -> false;
      default -> throw new IllegalArgumentException(name + ": neither on nor off: " + text);
    };
  }

  /**
   * Returns one of the choices, the first one if the property is absent.
   *
   * @param choices in lower case
   */
  public String choice(String name, String... choices) {
    String text = text(name, choices[0]).toLowerCase(Locale.ROOT);
    if (!List.of(choices).contains(text)) {
      throw new IllegalArgumentException(
          name + ": not one of " + String.join(", ", choices) + ": " + text);
    }
    return text;
  }

  /**
   * Reads {@code 192.0.2.1:PORT} or {@code [2001:db8::1]:PORT} with a port of 1 to 65535. Names are
   * not resolved.
   *
   * @return null if the property is absent or empty
   */
  public InetSocketAddress address(String name) {
    String text = text(name, "");
    if (text.isEmpty()) {
      return null;
    }
    int colon = text.lastIndexOf(':');
    InetAddress address = colon < 1 ? null : literal(text.substring(0, colon));
    if (address == null) {
      throw new IllegalArgumentException(name + ": not ADDRESS:PORT or [IPv6]:PORT: " + text);
    }
    return new InetSocketAddress(address, number(name, text.substring(colon + 1), 1, PORT_MOST));
  }

  /** Returns the address that the text denotes, null if it is a name or nothing. */
  private static InetAddress literal(String text) {
    String octet = "(25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])";
    boolean ipv4 = text.matches("(" + octet + "\\.){3}" + octet);
    boolean ipv6 = text.matches("\\[[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*]");
    try {
      return ipv4 || ipv6 ? InetAddress.getByName(text) : null; // looks nothing up
    } catch (UnknownHostException e) {
      return null;
    }
  }
}
