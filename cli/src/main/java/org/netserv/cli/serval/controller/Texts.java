// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.serval.controller;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServiceId;
import org.netserv.serval.ServicePrefix;
import org.netserv.serval.endpoint.Addresses;

/** Addresses and prefixes as sald writes them. */
final class Texts {
  private static final Pattern IPV4 = Pattern.compile("([0-9.]+)(?::([0-9]{1,5}))?");
  private static final Pattern IPV6 =
      Pattern.compile("\\[([0-9a-f:.]+)\\](?::([0-9]{1,5}))?|([0-9a-f]*:[0-9a-f:.]*)");
  private static final Pattern PREFIX = Pattern.compile("([0-9a-f]{1,64})(?:/([0-9]{1,3}))?");
  private static final int DIGIT_BITS = 4;
  private static final int MOST_PORT = 65_535;

  private Texts() {}

  /**
   * Reads ADDRESS, ADDRESS:PORT or [ADDRESS]:PORT. No name is looked up.
   *
   * @param preset port without one
   * @throws IllegalArgumentException if it is none of these
   */
  static Endpoint endpoint(String text, int preset) {
    Matcher four = IPV4.matcher(text);
    if (four.matches()) {
      return endpoint(text, four.group(1), four.group(2), preset);
    }
    Matcher six = IPV6.matcher(text);
    if (six.matches()) {
      String address = six.group(1) == null ? six.group(3) : six.group(1);
      return endpoint(text, address, six.group(2), preset);
    }
    throw noAddress(text, null);
  }

  private static Endpoint endpoint(String text, String address, String port, int preset) {
    int number = port == null ? preset : Integer.parseInt(port);
    boolean whole = address.contains(":") || address.chars().filter(c -> c == '.').count() == 3;
    if (!whole || number < 1 || number > MOST_PORT) {
      throw noAddress(text, null);
    }
    try {
      return Addresses.endpoint(new InetSocketAddress(InetAddress.getByName(address), number));
    } catch (UnknownHostException e) {
      throw noAddress(text, e);
    }
  }

  private static IllegalArgumentException noAddress(String text, Exception cause) {
    return new IllegalArgumentException("no ADDRESS or ADDRESS:PORT: " + text, cause);
  }

  /** Prints an address with its port, as {@link #endpoint} reads it. */
  static String print(Endpoint endpoint) {
    InetSocketAddress address = Addresses.socketAddress(endpoint);
    String ip = address.getAddress().getHostAddress();
    return (ip.contains(":") ? "[" + ip + "]" : ip) + ":" + address.getPort();
  }

  /**
   * Reads DIGITS, of which each stands for four bits, or DIGITS/BITS.
   *
   * @throws IllegalArgumentException if it is neither
   */
  static ServicePrefix prefix(String text) {
    Matcher parts = PREFIX.matcher(text);
    if (parts.matches()) {
      String bits = parts.group(2);
      int number = bits == null ? parts.group(1).length() * DIGIT_BITS : Integer.parseInt(bits);
      if (number <= ServiceId.BITS) {
        return new ServicePrefix(ServiceId.parse(parts.group(1)), number);
      }
    }
    throw new IllegalArgumentException("no serviceID or prefix: " + text);
  }

  /** Prints a prefix for an order of sald. */
  static String print(ServicePrefix prefix) {
    return prefix.bits() == 0 ? "default" : prefix.toString();
  }

  /** Prints a prefix for people, without the zeros at its end. */
  static String shortened(ServicePrefix prefix) {
    String digits = prefix.id().toString().substring(0, (prefix.bits() + 3) / DIGIT_BITS);
    return digits.replaceFirst("(?<=.{8})0+$", "") + "/" + prefix.bits();
  }
}
