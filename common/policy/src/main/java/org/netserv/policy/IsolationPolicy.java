// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The operator's settings for the layers of isolation. docs/protocols/spawner.md names the layers.
 *
 * @param without left out on purpose; {@code all} = every one
 * @param acceptMissing layers that may be missing without a refusal of publishers other than the
 *     operator's
 * @param require demanded even where other layers cover them
 */
public record IsolationPolicy(
    Set<String> without,
    @JsonProperty("accept-missing") Set<String> acceptMissing,
    Set<String> require) {

  /** Every layer, in the order in which a container enters them. */
  public static final List<String> LAYERS =
      List.of(
          "cgroup",
          "user",
          "pid",
          "mount",
          "net",
          "ipc",
          "uts",
          "rules",
          "disk",
          "rlimits",
          "uid",
          "capabilities",
          "no-new-privs",
          "landlock",
          "landlock-net",
          "seccomp",
          "java");

  /** Every layer, none of them dispensable. */
  public static final IsolationPolicy NONE = new IsolationPolicy(Set.of(), Set.of(), Set.of());

  private static final String ALL = "all";

  /**
   * Layer that needs the layer {@link #NET}, because the node's rules apply to the interface of the
   * container's own network.
   */
  private static final String RULES = "rules";

  private static final String NET = "net";

  public IsolationPolicy {
    without = Set.copyOf(without);
    acceptMissing = Set.copyOf(acceptMissing);
    require = Set.copyOf(require);
  }

  /**
   * Returns the layers of {@code without} and the layers that rest on them, by name and in order.
   */
  public Set<String> leftOut() {
    Set<String> names = new LinkedHashSet<>(LAYERS);
    names.removeIf(layer -> !leavesOut(layer) && !(layer.equals(RULES) && leavesOut(NET)));
    return names;
  }

  /** Chooses the missing layers that refuse a publisher which is not the operator's own. */
  public Set<String> refusing(Set<String> missing) {
    Set<String> refusing = new LinkedHashSet<>(missing);
    Set<String> covered = LayerCovers.among(missing).keySet();
    refusing.removeIf(layer -> covered.contains(layer) && !require.contains(layer));
    refusing.removeAll(acceptMissing);
    return refusing;
  }

  private boolean leavesOut(String layer) {
    return without.contains(ALL) || without.contains(layer);
  }
}
