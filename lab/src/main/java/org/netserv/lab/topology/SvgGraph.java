// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.topology;

import java.util.ArrayList;
import java.util.List;
import org.netserv.lab.topology.Topology.Link;
import org.netserv.lab.topology.Topology.Node;

/** A topology as SVG: nodes in a row in the file's order, links as arcs that never cross a box. */
public final class SvgGraph {
  private static final int STEP = 260;
  private static final int WIDTH = 130;
  private static final int HEIGHT = 46;
  private static final int MARGIN = 30;

  private SvgGraph() {}

  public static String draw(Topology topology) {
    List<Node> nodes = new ArrayList<>(topology.nodes().values());
    int width = 2 * MARGIN + (nodes.size() - 1) * STEP + WIDTH;
    int top = 110 + 40 * longest(topology, nodes);
    StringBuilder svg = new StringBuilder();
    svg.append(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"11\">\n"
            .formatted(width, top + 120));
    svg.append("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
    text(svg, MARGIN, 24, "start", 15, "lab " + topology.name());
    for (Link link : topology.links()) {
      link(svg, topology, nodes, link, top);
    }
    for (int i = 0; i < nodes.size(); i++) {
      box(svg, nodes.get(i), MARGIN + i * STEP, top);
    }
    return svg.append("</svg>\n").toString();
  }

  private static int longest(Topology topology, List<Node> nodes) {
    return topology.links().stream().mapToInt(link -> span(topology, nodes, link)).max().orElse(1);
  }

  private static int span(Topology topology, List<Node> nodes, Link link) {
    int a = nodes.indexOf(topology.node(link.a().node()));
    int b = nodes.indexOf(topology.node(link.b().node()));
    return Math.abs(a - b);
  }

  private static void link(
      StringBuilder svg, Topology topology, List<Node> nodes, Link link, int top) {
    int a = nodes.indexOf(topology.node(link.a().node()));
    int b = nodes.indexOf(topology.node(link.b().node()));
    Topology.End left = a <= b ? link.a() : link.b();
    Topology.End right = a <= b ? link.b() : link.a();
    int from = MARGIN + Math.min(a, b) * STEP + WIDTH;
    int to = MARGIN + Math.max(a, b) * STEP;
    int y = top + HEIGHT / 2;
    int peak = y - 40 * (span(topology, nodes, link) - 1);
    svg.append(
        "<path d=\"M%d %d Q%d %d %d %d\" fill=\"none\" stroke=\"#456\" stroke-width=\"2\"/>\n"
            .formatted(from, y, (from + to) / 2, 2 * peak - y, to, y));
    text(svg, (from + to) / 2, peak - 24, "middle", 10, left + " " + first(topology, left));
    text(svg, (from + to) / 2, peak - 10, "middle", 10, right + " " + first(topology, right));
    String impairment = link.impairment().text();
    if (!impairment.isEmpty()) {
      text(svg, (from + to) / 2, peak + 16, "middle", 10, impairment);
    }
  }

  private static String first(Topology topology, Topology.End end) {
    List<Address> addresses = topology.node(end.node()).interfaces().get(end.interfaceName());
    return addresses.isEmpty() ? "" : addresses.get(0).toString();
  }

  private static void box(StringBuilder svg, Node node, int x, int y) {
    svg.append(
        "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\" fill=\"#eef3f8\" stroke=\"#456\"/>\n"
            .formatted(x, y, WIDTH, HEIGHT));
    text(svg, x + WIDTH / 2, y + HEIGHT / 2 + 5, "middle", 14, node.name());
    text(svg, x + WIDTH / 2, y + HEIGHT + 16, "middle", 10, TextGraph.roles(node));
  }

  private static void text(
      StringBuilder svg, int x, int y, String anchor, int size, String content) {
    svg.append(
        "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\" font-size=\"%d\">%s</text>\n"
            .formatted(x, y, anchor, size, escape(content)));
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
