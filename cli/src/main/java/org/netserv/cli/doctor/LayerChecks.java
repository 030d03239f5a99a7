// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.doctor;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.netserv.policy.IsolationPolicy;
import org.netserv.policy.LayerCovers;

/**
 * Makes one finding for each layer of isolation, which is there, missing, or left out by node.yaml.
 * A node runs without a missing layer. It then refuses publishers that are not the operator's own,
 * unless other layers cover the missing layer.
 */
final class LayerChecks {
  private static final String PREFIX = "layer-";

  /**
   * The first ABI of Landlock that knows truncate; below, the first that knows abstract sockets and
   * signals.
   */
  private static final int LANDLOCK_TRUNCATE = 3;

  private static final int LANDLOCK_WHOLE = 6;

  private static final String RESTS_ON_NET = "there is no network of its own to have rules for";

  private static final String NAMESPACE =
      "use a kernel that has this namespace, and root; inside a container ask its owner";

  private static final Map<String, String> REMEDIES =
      Map.ofEntries(
          Map.entry(
              "cgroup",
              "mount cgroup2 with memory, cpu and pids, or cgroup v1's; inside a container have its"
                  + " owner delegate a cgroup2 subtree without processes at its root"),
          Map.entry(
              "user", "set CONFIG_USER_NS, and the sysctl user.max_user_namespaces above 4096"),
          Map.entry("pid", NAMESPACE),
          Map.entry("mount", NAMESPACE),
          Map.entry("net", NAMESPACE),
          Map.entry("ipc", NAMESPACE),
          Map.entry("uts", NAMESPACE),
          Map.entry("rules", "install iptables (nf_tables); the kernel needs conntrack and marks"),
          Map.entry("disk", "modprobe loop; the node needs /dev/loop-control and mkfs.ext4"),
          Map.entry("rlimits", "look for what denies setrlimit to root: a filter around it"),
          Map.entry("uid", "run it as root of the first user namespace, or map the node's ids"),
          Map.entry("capabilities", "look for what denies prctl to root: a filter around it"),
          Map.entry("no-new-privs", "use a kernel >= 3.5"),
          Map.entry("landlock", "use a kernel >= 5.13 with landlock in its lsm= list"),
          Map.entry("landlock-net", "use a kernel >= 6.7 with landlock in its lsm= list"),
          Map.entry("seccomp", "use a kernel with CONFIG_SECCOMP_FILTER"));

  private final HostFacts host;
  private final IsolationPolicy policy;

  LayerChecks(HostFacts host, IsolationPolicy policy) {
    this.host = host;
    this.policy = policy;
  }

  /** Returns the findings in the order in which a container enters the layers. */
  List<Finding> examine(Map<String, String> features) {
    Map<String, String> lacks = lacks(features);
    Set<String> missing = new LinkedHashSet<>(IsolationPolicy.LAYERS);
    missing.removeIf(layer -> !lacks.containsKey(layer) && !policy.leftOut().contains(layer));
    List<Finding> findings = new ArrayList<>();
    for (String layer : IsolationPolicy.LAYERS) {
      findings.add(
          missing.contains(layer)
              ? missing(layer, lacks.get(layer), missing)
              : Finding.ok(PREFIX + layer, there(layer, features)));
    }
    return findings;
  }

  /** Returns the reasons why this machine cannot give some layers, by layer. */
  Map<String, String> lacks(Map<String, String> features) {
    Map<String, String> lacks = new LinkedHashMap<>();
    for (String layer : IsolationPolicy.LAYERS) {
      lack(layer, features).ifPresent(why -> lacks.put(layer, why));
    }
    return lacks;
  }

  /**
   * Describes a layer that is there. An older Landlock leaves some of its work to other layers
   * (docs/security.md).
   */
  private static String there(String layer, Map<String, String> features) {
    if (layer.equals("cgroup") && features.containsKey("cgroups")) {
      return "there (" + features.get("cgroups") + ")";
    }
    int abi = layer.equals("landlock") ? abi(features) : LANDLOCK_WHOLE;
    List<String> left = new ArrayList<>();
    if (abi < LANDLOCK_TRUNCATE) {
      left.add("truncate is left to mount and uid");
    }
    if (abi < LANDLOCK_WHOLE) {
      left.add("signals are left to pid and uid, abstract sockets to net");
    }
    return left.isEmpty() ? "there" : "there (ABI " + abi + "): " + String.join(", ", left);
  }

  private static int abi(Map<String, String> features) {
    String abi = features.getOrDefault("landlock-abi", "");
    return abi.matches("[0-9]{1,4}") ? Integer.parseInt(abi) : 0;
  }

  private Finding missing(String layer, String why, Set<String> missing) {
    boolean off = policy.leftOut().contains(layer);
    List<String> by = LayerCovers.among(missing).get(layer);
    String check = PREFIX + layer;
    String remedy = off ? "take it out of isolation: without in node.yaml" : REMEDIES.get(layer);
    if (by != null && !policy.require().contains(layer)) {
      String reason = off ? "switched off" : why;
      return Finding.ok(check, LayerCovers.inWords(by) + " (" + reason + ")");
    }
    return Finding.warn(
        check,
        (off ? "switched off" : "missing: " + why)
            + (by == null ? "" : "; node.yaml requires it")
            + (policy.acceptMissing().contains(layer)
                ? "; node.yaml accepts it as missing: everybody is served without"
                : "; only the operator's own publishers are served"),
        remedy);
  }

  /** Returns the reason why containers here cannot have a layer; empty if they can. */
  private Optional<String> lack(String layer, Map<String, String> features) {
    return switch (layer) {
      case "rules" -> probed("net", features).isEmpty() ? rules() : Optional.of(RESTS_ON_NET);
      case "java" -> Optional.empty();
      case "landlock", "landlock-net" -> landlock(layer, features);
      default -> probed(layer, features);
    };
  }

  private static Optional<String> probed(String layer, Map<String, String> features) {
    String value = features.getOrDefault(PREFIX + layer, "no:not probed");
    return value.equals("yes") ? Optional.empty() : Optional.of(value.replaceFirst("^no:", ""));
  }

  private static Optional<String> landlock(String layer, Map<String, String> features) {
    return probed(layer, features)
        .map(why -> why + " (Landlock ABI " + features.getOrDefault("landlock-abi", "0") + ")");
  }

  /**
   * Tries the kind of rule that bounds a container, in a network namespace that ends with the try.
   */
  private Optional<String> rules() {
    HostFacts.Run run =
        host.run(
            "unshare",
            "-n",
            "iptables-nft",
            "-A",
            "FORWARD",
            "-m",
            "conntrack",
            "--ctstate",
            "ESTABLISHED,RELATED",
            "-j",
            "ACCEPT");
    return run.status() == 0 ? Optional.empty() : Optional.of(run.line());
  }
}
