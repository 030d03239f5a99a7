// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.topology;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * An interface address with its prefix length and its text as it was written. Host names are never
 * looked up.
 */
public record Address(InetAddress ip, int length, String text) {
  private static final Pattern V4 =
      Pattern.compile("((25[0-5]|2[0-4]\\d|1?\\d?\\d)(\\.(?!$)|$)){4}");
  private static final Pattern V6 = Pattern.compile("[0-9a-fA-F:]*:[0-9a-fA-F:.]*");

  /** Parses an IPv4 or IPv6 literal. */
  public static Optional<InetAddress> ip(String text) {
    if (!V4.matcher(text).matches() && !V6.matcher(text).matches()) {
      return Optional.empty();
    }
    try {
      return Optional.of(InetAddress.getByName(text));
    } catch (UnknownHostException e) {
      return Optional.empty();
    }
  }

  /** Parses {@code address/length}. */
  public static Optional<Address> parse(String text) {
    int slash = text.indexOf('/');
    if (slash < 0 || !text.substring(slash + 1).matches("\\d{1,3}")) {
      return Optional.empty();
    }
    int length = Integer.parseInt(text.substring(slash + 1));
    return ip(text.substring(0, slash))
        .filter(ip -> length <= ip.getAddress().length * 8)
        .map(ip -> new Address(ip, length, text));
  }

  public boolean isV6() {
    return ip.getAddress().length == 16;
  }

  @Override
  public String toString() {
    return text;
  }
}
