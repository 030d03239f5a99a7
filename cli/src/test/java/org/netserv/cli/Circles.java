// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds names that use each other in a circle: the strongly connected components of two and more
 * nodes, by Tarjan's algorithm.
 */
final class Circles {
  private final Map<String, Set<String>> uses;
  private final Map<String, Integer> index = new HashMap<>();
  private final Map<String, Integer> low = new HashMap<>();
  private final Deque<String> open = new ArrayDeque<>();
  private final List<List<String>> found = new ArrayList<>();

  private Circles(Map<String, Set<String>> uses) {
    this.uses = uses;
  }

  /** Returns the circles, the largest first. Each circle is sorted by name. */
  static List<List<String>> in(Map<String, Set<String>> uses) {
    Circles circles = new Circles(uses);
    for (String node : uses.keySet()) {
      if (!circles.index.containsKey(node)) {
        circles.visit(node);
      }
    }
    circles.found.sort((a, b) -> b.size() - a.size());
    return circles.found;
  }

  private void visit(String node) {
    index.put(node, index.size());
    low.put(node, index.get(node));
    open.push(node);
    for (String next : uses.getOrDefault(node, Set.of())) {
      if (!index.containsKey(next)) {
        visit(next);
        low.merge(node, low.get(next), Math::min);
      } else if (open.contains(next)) {
        low.merge(node, index.get(next), Math::min);
      }
    }
    if (low.get(node).equals(index.get(node))) {
      close(node);
    }
  }

  /** Takes the component of a node off the stack. */
  private void close(String node) {
    List<String> component = new ArrayList<>();
    do {
      component.add(open.pop());
    } while (!component.get(component.size() - 1).equals(node));
    if (component.size() > 1) {
      Collections.sort(component);
      found.add(component);
    }
  }
}
