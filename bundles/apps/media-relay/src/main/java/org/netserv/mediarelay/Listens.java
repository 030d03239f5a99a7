// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay;

import java.util.ArrayList;
import java.util.List;
import org.netserv.mediarelay.core.Ip;
import org.netserv.mediarelay.core.RelayedRange;

/**
 * The addresses and ports at which the network reaches the module, as the node's policy has them:
 * {@code udp/203.0.113.1/32/49152-65535}. An element of one port is for clients. An element of more
 * ports, on one address, is a range of relayed addresses.
 */
final class Listens {
  /** The property by which the node tells them. */
  static final String PROPERTY = "netserv.listen";

  private final List<Element> elements = new ArrayList<>();

  private record Element(boolean tcp, Ip.Prefix prefix, int first, int last) {
    private boolean isOneAddress() {
      return prefix.bits() == Ip.BITS;
    }
  }

  private Listens() {}

  /**
   * @throws IllegalArgumentException naming the element that is wrong
   */
  static Listens of(String text) {
    Listens listens = new Listens();
    for (String element : RelaySettings.list(text)) {
      listens.elements.add(element(element));
    }
    return listens;
  }

  private static Element element(String text) {
    int slash = text.lastIndexOf('/');
    boolean tcp = text.startsWith("tcp/");
    if (slash < 5 || !(tcp || text.startsWith("udp/"))) {
      throw new IllegalArgumentException(PROPERTY + ": not an element: " + text);
    }
    int[] ports = ports(PROPERTY, text.substring(slash + 1));
    return new Element(tcp, Ip.Prefix.of(text.substring(4, slash)), ports[0], ports[1]);
  }

  private static int[] ports(String name, String text) {
    if (!text.matches("[0-9]{1,5}(-[0-9]{1,5})?")) {
      throw new IllegalArgumentException(name + ": not a range of ports: " + text);
    }
    int dash = text.indexOf('-');
    int first = Integer.parseInt(dash < 0 ? text : text.substring(0, dash));
    return new int[] {first, dash < 0 ? first : Integer.parseInt(text.substring(dash + 1))};
  }

  /**
   * Reads {@code 203.0.113.1/49152-65535}.
   *
   * @param name of the property, for the error
   */
  static RelayedRange range(String name, String text) {
    int slash = text.lastIndexOf('/');
    if (slash < 0) {
      throw new IllegalArgumentException(name + ": not of the form address/first-last: " + text);
    }
    int[] ports = ports(name, text.substring(slash + 1));
    Ip.Prefix address = Ip.Prefix.of(text.substring(0, slash));
    if (address.bits() != Ip.BITS) {
      throw new IllegalArgumentException(name + ": not one address: " + text);
    }
    return new RelayedRange(address.high(), address.low(), ports[0], ports[1]);
  }

  /** Returns the first range of each family. */
  List<RelayedRange> ranges(boolean tcp) {
    List<RelayedRange> ranges = new ArrayList<>();
    for (int family = 4; family <= 6; family += 2) {
      int wanted = family;
      elements.stream()
          .filter(e -> e.tcp() == tcp && e.isOneAddress() && e.first() < e.last())
          .map(e -> new RelayedRange(e.prefix().high(), e.prefix().low(), e.first(), e.last()))
          .filter(range -> range.family() == wanted)
          .findFirst()
          .ifPresent(ranges::add);
    }
    return ranges;
  }

  /** Returns the UDP elements of one port, on one address. */
  List<RelayedRange> single() {
    return elements.stream()
        .filter(e -> !e.tcp() && e.isOneAddress() && e.first() == e.last())
        .map(e -> new RelayedRange(e.prefix().high(), e.prefix().low(), e.first(), e.last()))
        .toList();
  }

  /** Tells whether clients can reach a TCP port. Without a list of the node nothing forbids it. */
  boolean hasTcp(int port) {
    return elements.isEmpty()
        || elements.stream().anyMatch(e -> e.tcp() && e.first() <= port && port <= e.last());
  }

  /** Returns all addresses of the node that are named. */
  List<Ip.Prefix> addresses() {
    return elements.stream()
        .map(Element::prefix)
        .filter(prefix -> prefix.bits() == Ip.BITS)
        .distinct()
        .toList();
  }
}
