// SPDX-License-Identifier: Apache-2.0
package org.netserv.translator.core;

import java.net.InetAddress;
import java.util.Locale;
import java.util.Map;

/**
 * Names with an address each, which leads to a service.
 *
 * @param port the module's own UDP port for questions, 0 for none
 * @param addresses by name, in lower case and without the dot at the end
 * @param ttl seconds for which a resolver may keep an answer
 */
public record Names(int port, Map<String, InetAddress> addresses, int ttl) {
  /** No names. */
  public static final Names NONE = new Names(0, Map.of(), 0);

  /** Copies the map. */
  public Names {
    addresses = Map.copyOf(addresses);
  }

  /** Returns the address of a name, null if there is none. */
  public InetAddress find(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    int length = lower.endsWith(".") ? lower.length() - 1 : lower.length();
    return addresses.get(lower.substring(0, length));
  }
}
