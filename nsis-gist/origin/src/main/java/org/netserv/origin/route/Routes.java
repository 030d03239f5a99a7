// SPDX-License-Identifier: Apache-2.0
package org.netserv.origin.route;

import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.netserv.values.Prefix;

/**
 * The nodes to which users may be sent now. Never changes: the director's thread makes another one.
 *
 * @param onPath the node on the path to each prefix that has one
 * @param edges all nodes
 * @param nodes addresses of all nodes, also of those to which nobody is sent
 */
public record Routes(Map<Prefix, Edge> onPath, List<Edge> edges, Set<InetAddress> nodes) {
  /** No nodes. */
  public static final Routes NONE = new Routes(Map.of(), List.of(), Set.of());

  public Routes {
    onPath = Map.copyOf(onPath);
    edges = List.copyOf(edges);
    nodes = Set.copyOf(nodes);
  }
}
