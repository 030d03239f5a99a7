// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.netserv.mediarelay.core.Discovery;
import org.netserv.mediarelay.core.Ip;
import org.netserv.mediarelay.core.RelayedRange;
import org.netserv.module.ModuleProperties;

/**
 * The addresses and ports at which the network reaches the module, as the node's policy has them:
 * {@code udp/203.0.113.1/32/49152-65535}. An element of one port is for clients. An element of more
 * ports, on one address, is a range of relayed addresses.
 */
final class Listens {
  /** The property by which the node tells them. */
  static final String PROPERTY = "netserv.listen";

  private final List<Element> elements = new ArrayList<>();

  /**
   * @param inside the module's own port for the first one, which is the same unless the policy has
   *     another one
   */
  private record Element(boolean tcp, Ip.Prefix prefix, int first, int last, int inside) {
    private boolean isOneAddress() {
      return prefix.bits() == Ip.BITS;
    }

    /** Tells whether this is a UDP port of one address. */
    private boolean isUdpPort() {
      return !tcp && isOneAddress() && first == last;
    }

    private boolean hasInside(int port) {
      return inside <= port && port <= inside + last - first;
    }

    private boolean isAt(Element address, Element port) {
      return isUdpPort() && prefix.equals(address.prefix) && first == port.first;
    }
  }

  private Listens() {}

  /**
   * @throws IllegalArgumentException naming the element that is wrong
   */
  static Listens of(ModuleProperties properties) {
    Listens listens = new Listens();
    for (String element : properties.list(PROPERTY, "")) {
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
    String both = text.substring(slash + 1);
    int colon = both.indexOf(':');
    int[] ports = ports(PROPERTY, colon < 0 ? both : both.substring(0, colon));
    int inside = colon < 0 ? ports[0] : ports(PROPERTY, both.substring(colon + 1))[0];
    return new Element(tcp, Ip.Prefix.of(text.substring(4, slash)), ports[0], ports[1], inside);
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

  /**
   * Returns two addresses with two UDP ports each, of each family that has them: what the discovery
   * of RFC 5780 needs. The first of the list that fits comes first.
   */
  List<Discovery.Square> squares() {
    List<Discovery.Square> squares = new ArrayList<>();
    for (int family = 4; family <= 6; family += 2) {
      int wanted = family;
      List<Element> ports =
          elements.stream()
              .filter(Element::isUdpPort)
              .filter(e -> Ip.family(e.prefix().high(), e.prefix().low()) == wanted)
              .toList();
      ports.stream()
          .flatMap(e -> ports.stream().map(other -> square(ports, e, other)))
          .filter(Objects::nonNull)
          .findFirst()
          .ifPresent(squares::add);
    }
    return squares;
  }

  /** Returns the square of two opposite corners, null = there is none. */
  private static Discovery.Square square(List<Element> ports, Element one, Element other) {
    List<Integer> inside = new ArrayList<>();
    for (Element address : List.of(one, other)) {
      for (Element port : List.of(one, other)) {
        ports.stream()
            .filter(e -> e.isAt(address, port))
            .findFirst()
            .ifPresent(e -> inside.add(e.inside()));
      }
    }
    boolean flat = one.prefix().equals(other.prefix()) || one.first() == other.first();
    if (flat || inside.size() < 4 || inside.stream().distinct().count() < 4) {
      return null;
    }
    Ip.Prefix first = one.prefix();
    Ip.Prefix second = other.prefix();
    return new Discovery.Square(
        first.high(), first.low(), second.high(), second.low(), one.first(), other.first(), inside);
  }

  /** Returns the UDP elements of one port, on one address, that have the same port inside. */
  List<RelayedRange> single() {
    return elements.stream()
        .filter(e -> e.isUdpPort() && e.inside() == e.first())
        .map(e -> new RelayedRange(e.prefix().high(), e.prefix().low(), e.first(), e.last()))
        .toList();
  }

  /**
   * Tells whether clients can reach a TCP port of the module. Without a list of the node nothing
   * forbids it.
   */
  boolean hasTcp(int port) {
    return elements.isEmpty() || elements.stream().anyMatch(e -> e.tcp() && e.hasInside(port));
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
