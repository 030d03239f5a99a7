// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.topology;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The contents of one topology file after its checks. Every name that is referred to exists. Maps
 * keep the file's order.
 *
 * @param name of the lab
 */
public record Topology(String name, Map<String, Node> nodes, List<Link> links) {

  /**
   * One namespace.
   *
   * @param masquerade interfaces that give outgoing packets their own address
   * @param firewall rules in the words of iptables, applied for IPv4 and IPv6 alike
   * @param forward true if the node routes
   */
  public record Node(
      String name,
      Map<String, List<Address>> interfaces,
      List<String> routes,
      Map<String, String> sysctls,
      boolean forward,
      List<String> masquerade,
      List<String> firewall,
      List<Daemon> daemons) {

    Node without(String kind) {
      List<Daemon> rest = daemons.stream().filter(d -> !d.kind().equals(kind)).toList();
      return new Node(name, interfaces, routes, sysctls, forward, masquerade, firewall, rest);
    }

    /** Returns the first address of this family. */
    public Address address(boolean v6) {
      return interfaces.values().stream()
          .flatMap(List::stream)
          .filter(address -> address.isV6() == v6)
          .findFirst()
          .orElseThrow(
              () -> new IllegalStateException(name + " has no IPv" + (v6 ? 6 : 4) + " address"));
    }
  }

  /** One end of a link. */
  public record End(String node, String interfaceName) {
    @Override
    public String toString() {
      return node + "/" + interfaceName;
    }
  }

  /** A point-to-point link; {@code mtu} in bytes. */
  public record Link(End a, End b, int mtu, Impairment impairment) {}

  /** A real program inside a node: its kind and the options of that kind. */
  public record Daemon(String kind, ObjectNode options) {}

  public Node node(String node) {
    Node found = nodes.get(node);
    if (found == null) {
      throw new IllegalArgumentException(
          "lab " + name + " has no node " + node + "; it has " + String.join(", ", nodes.keySet()));
    }
    return found;
  }

  /**
   * Returns the IPv4 address by which others reach a node. It is the address of the router before
   * the node if that router masquerades, else the node's own.
   */
  public InetAddress outside(Node node) {
    for (Link link : links) {
      boolean first = link.a().node().equals(node.name());
      if (first || link.b().node().equals(node.name())) {
        Node other = node(first ? link.b().node() : link.a().node());
        if (!other.masquerade().isEmpty()) {
          return other.interfaces().get(other.masquerade().get(0)).stream()
              .filter(address -> !address.isV6())
              .findFirst()
              .orElse(node.address(false))
              .ip();
        }
      }
    }
    return node.address(false).ip();
  }

  /** Returns the topology without daemons of this kind. */
  public Topology without(String kind) {
    Map<String, Node> rest = new LinkedHashMap<>();
    nodes.forEach((key, node) -> rest.put(key, node.without(kind)));
    return new Topology(name, rest, links);
  }
}
