// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.topology;

import java.util.ArrayList;
import java.util.List;
import org.netserv.lab.testbed.topology.Topology.Link;
import org.netserv.lab.testbed.topology.Topology.Node;

/**
 * Draws a topology as SVG: nodes in a row in the file's order, links as arcs that never cross a
 * box.
 */
public final class SvgGraph {
  private static final int STEP = 260;
  private static final int WIDTH = 130;
  private static final int HEIGHT = 46;
  private static final int MARGIN = 30;

  private SvgGraph() {}

  public static String draw(Topology topology) {
    return draw(topology, null);
  }

  /**
   * Draws a topology with a path below the boxes, from answer to answer, unless the path is null.
   */
  public static String draw(Topology topology, Revealed path) {
    List<Node> nodes = new ArrayList<>(topology.nodes().values());
    int width = 2 * MARGIN + (nodes.size() - 1) * STEP + WIDTH;
    int top = 110 + 40 * longest(topology, nodes);
    StringBuilder svg = new StringBuilder();
    svg.append(
        ("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
                + " font-family=\"sans-serif\" font-size=\"11\">\n")
            .formatted(width, top + 120 + (path == null ? 0 : 40 * nodes.size())));
    svg.append("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
    text(svg, MARGIN, 24, "start", 15, "lab " + topology.name());
    for (Link link : topology.links()) {
      link(svg, topology, nodes, link, top);
    }
    for (int i = 0; i < nodes.size(); i++) {
      int place = path == null ? 0 : path.place(nodes.get(i).name());
      box(svg, nodes.get(i), place, MARGIN + i * STEP, top);
    }
    if (path != null) {
      path(svg, nodes, path, top + HEIGHT + 24);
      text(svg, MARGIN, 44, "start", 12, "path " + path.text());
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

  /** Draws the path as arcs below the boxes. An end that is no node of the topology has no arc. */
  private static void path(StringBuilder svg, List<Node> nodes, Revealed path, int y) {
    List<String> all = new ArrayList<>(path.hops());
    all.add(0, path.from());
    all.add(path.to());
    List<Integer> places =
        all.stream()
            .map(name -> nodes.stream().map(Node::name).toList().indexOf(name))
            .filter(place -> place >= 0)
            .toList();
    for (int i = 1; i < places.size(); i++) {
      int from = MARGIN + places.get(i - 1) * STEP + WIDTH / 2;
      int to = MARGIN + places.get(i) * STEP + WIDTH / 2;
      int deep = y + 40 * Math.abs(places.get(i) - places.get(i - 1));
      svg.append(
          "<path class=\"revealed\" d=\"M%d %d Q%d %d %d %d\" fill=\"none\" stroke=\"#b40\" stroke-width=\"3\"/>\n"
              .formatted(from, y, (from + to) / 2, deep, to, y));
    }
  }

  private static String first(Topology topology, Topology.End end) {
    List<Address> addresses = topology.node(end.node()).interfaces().get(end.interfaceName());
    return addresses.isEmpty() ? "" : addresses.get(0).toString();
  }

  private static void box(StringBuilder svg, Node node, int place, int x, int y) {
    svg.append(
        "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\" fill=\"%s\" stroke=\"#456\"/>\n"
            .formatted(x, y, WIDTH, HEIGHT, place == 0 ? "#eef3f8" : "#fdd9b5"));
    if (place > 0) {
      text(svg, x + 8, y + 16, "start", 12, Integer.toString(place));
    }
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
