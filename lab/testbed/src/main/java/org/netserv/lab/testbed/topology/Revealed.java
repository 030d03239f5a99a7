// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.topology;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The path that a response stack has revealed, to be drawn on its topology.
 *
 * @param from the node that sent the PROBE
 * @param hops names of the nodes that answered, in path order; an address of no node stands for
 *     itself
 * @param to the destination's name or address
 * @param end reason why the path ended
 */
public record Revealed(String from, List<String> hops, String to, String end) {

  /** Makes a path of the addresses in a stack's entries, first node first. */
  public static Revealed of(
      Topology topology, String from, List<String> addresses, InetAddress to, String end) {
    List<String> hops = new ArrayList<>();
    for (String address : addresses) {
      hops.add(Address.ip(address).flatMap(ip -> owner(topology, ip)).orElse(address));
    }
    return new Revealed(from, hops, owner(topology, to).orElse(to.getHostAddress()), end);
  }

  private static Optional<String> owner(Topology topology, InetAddress ip) {
    return topology.nodes().values().stream()
        .filter(
            node ->
                node.interfaces().values().stream()
                    .flatMap(List::stream)
                    .anyMatch(address -> address.ip().equals(ip)))
        .map(Topology.Node::name)
        .findFirst();
  }

  /** Returns the place of a node on the path, from 1; 0 if it is not there. */
  int place(String node) {
    return hops.indexOf(node) + 1;
  }

  /** Returns the path as text: {@code publisher > a > b > user (port-unreachable)}. */
  String text() {
    List<String> all = new ArrayList<>(hops);
    all.add(0, from);
    all.add(to);
    return String.join(" > ", all) + " (" + end + ")";
  }
}
