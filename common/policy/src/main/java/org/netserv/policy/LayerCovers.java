// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Layers that stand in for another one. A missing layer is covered when all of the layers beside it
 * in this table are there. docs/security.md gives the reason for each line.
 */
public final class LayerCovers {
  private static final Map<String, List<String>> COVERS =
      Map.of("landlock-net", List.of("net", "rules"));

  private LayerCovers() {}

  /** Returns every layer that other layers can cover, with the covering layers. */
  public static Map<String, List<String>> all() {
    return COVERS;
  }

  /** Returns the covered layers among the missing ones, each with the layers that cover it. */
  public static Map<String, List<String>> among(Set<String> missing) {
    Map<String, List<String>> covered = new LinkedHashMap<>();
    for (String layer : missing) {
      List<String> by = COVERS.getOrDefault(layer, List.of());
      if (!by.isEmpty() && by.stream().noneMatch(missing::contains)) {
        covered.put(layer, by);
      }
    }
    return covered;
  }

  /** Describes covered layers, for example "landlock-net: missing, covered by net, rules". */
  public static List<String> inWords(Map<String, List<String>> covered) {
    List<String> lines = new ArrayList<>();
    covered.forEach((layer, by) -> lines.add(layer + ": " + inWords(by)));
    return lines;
  }

  /** Describes one covered layer, for example "missing, covered by net, rules". */
  public static String inWords(List<String> by) {
    return "missing, covered by " + String.join(", ", by);
  }
}
