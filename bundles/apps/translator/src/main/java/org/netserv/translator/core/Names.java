// SPDX-License-Identifier: Apache-2.0
package org.netserv.translator.core;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Locale;
import java.util.Map;

/**
 * Names with an address of either family or both, which lead to a service.
 *
 * @param port the module's own port for questions, 0 for none
 * @param tcp whether questions may come over TCP, too
 * @param addresses by name and family
 * @param ttl seconds for which a resolver may keep an answer
 */
public record Names(int port, boolean tcp, Map<Key, InetAddress> addresses, int ttl) {
  /** No names. */
  public static final Names NONE = new Names(0, false, Map.of(), 0);

  /**
   * A name and the family of an address.
   *
   * @param name in lower case and without the dot at the end
   * @param six true for IPv6
   */
  public record Key(String name, boolean six) {
    /** Returns the key of a name's address. */
    public static Key of(String name, InetAddress address) {
      return new Key(name, address instanceof Inet6Address);
    }

    @Override
    public String toString() {
      return name + (six ? " (IPv6)" : " (IPv4)");
    }
  }

  /** Copies the map. */
  public Names {
    addresses = Map.copyOf(addresses);
  }

  /** Returns true if the name has an address of either family. */
  public boolean has(String name) {
    return find(name, false) != null || find(name, true) != null;
  }

  /** Returns the address of a name in a family, null if there is none. */
  public InetAddress find(String name, boolean six) {
    String lower = name.toLowerCase(Locale.ROOT);
    int length = lower.endsWith(".") ? lower.length() - 1 : lower.length();
    return addresses.get(new Key(lower.substring(0, length), six));
  }
}
