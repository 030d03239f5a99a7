// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.topology;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.netserv.lab.testbed.topology.Topology.Link;
import org.netserv.lab.testbed.topology.Topology.Node;

/**
 * Draws a topology as text: one box per node, and below it one line per link to a node further
 * down.
 *
 * <pre>
 *   +--------+
 *   | server |  kamailio
 *   +--------+
 *     eth0 192.0.2.10/24 ---- [delay 20 ms] ---- node/core 192.0.2.1/24
 * </pre>
 */
public final class TextGraph {
  private TextGraph() {}

  public static String draw(Topology topology) {
    return draw(topology, null);
  }

  /** Draws a topology and numbers the nodes of the path, unless the path is null. */
  public static String draw(Topology topology, Revealed path) {
    List<String> lines = new ArrayList<>();
    lines.add("lab " + topology.name());
    if (path != null) {
      lines.add("path " + path.text());
    }
    List<String> drawn = new ArrayList<>();
    for (Node node : topology.nodes().values()) {
      String edge = "  +" + "-".repeat(node.name().length() + 2) + "+";
      lines.add(edge);
      lines.add("  | " + node.name() + " |" + beside(node, path));
      lines.add(edge);
      drawn.add(node.name());
      for (Link link : topology.links()) {
        boolean first = link.a().node().equals(node.name());
        boolean here = first || link.b().node().equals(node.name());
        Topology.End mine = first ? link.a() : link.b();
        Topology.End other = first ? link.b() : link.a();
        if (here && (!drawn.contains(other.node()) || other.node().equals(node.name()))) {
          lines.add(link(topology, link, mine, other));
        }
      }
    }
    return String.join("\n", lines) + "\n";
  }

  private static String link(Topology topology, Link link, Topology.End mine, Topology.End other) {
    String impairment = link.impairment().text();
    return "    %s %s ----%s---- %s %s"
        .formatted(
            mine.interfaceName(),
            addresses(topology, mine),
            impairment.isEmpty() ? "" : " [" + impairment + "] ",
            other,
            addresses(topology, other));
  }

  private static String beside(Node node, Revealed path) {
    int place = path == null ? 0 : path.place(node.name());
    return (place == 0 ? "" : "  (" + place + ")")
        + (roles(node).isEmpty() ? "" : "  " + roles(node));
  }

  /** Returns the roles of a node in a few words. */
  static String roles(Node node) {
    List<String> roles = new ArrayList<>();
    node.daemons().forEach(daemon -> roles.add(daemon.kind()));
    node.masquerade().forEach(out -> roles.add("masquerades " + out));
    if (node.forward() && node.masquerade().isEmpty()) {
      roles.add("router");
    }
    return String.join(", ", roles);
  }

  static String addresses(Topology topology, Topology.End end) {
    return topology.node(end.node()).interfaces().get(end.interfaceName()).stream()
        .map(Address::toString)
        .collect(Collectors.joining(" "));
  }
}
