// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.netserv.policy.IsolationPolicy;

/**
 * One finding for each layer of isolation: there, missing, or left out by node.yaml. A missing
 * layer keeps no node from running, but publishers that are not the operator's own.
 */
final class LayerChecks {
  private static final String PREFIX = "layer-";

  private static final String RESTS_ON_NET = "there is no network of its own to have rules for";

  private static final String NAMESPACE =
      "use a kernel that has this namespace, and root; inside a container ask its owner";

  private static final Map<String, String> REMEDIES =
      Map.ofEntries(
          Map.entry("cgroup", "mount cgroup2, or cgroup v1's memory, cpu and pids"),
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
          Map.entry("landlock", "use a kernel >= 6.7 with landlock in its lsm= list"),
          Map.entry("seccomp", "use a kernel with CONFIG_SECCOMP_FILTER"));

  private final Host host;
  private final IsolationPolicy policy;

  LayerChecks(Host host, IsolationPolicy policy) {
    this.host = host;
    this.policy = policy;
  }

  /** In the order in which a container enters the layers. */
  List<Finding> examine(Map<String, String> features) {
    List<Finding> findings = new ArrayList<>();
    for (String layer : IsolationPolicy.LAYERS) {
      findings.add(finding(layer, features));
    }
    return findings;
  }

  private Finding finding(String layer, Map<String, String> features) {
    String check = PREFIX + layer;
    if (policy.leftOut().contains(layer)) {
      return missing(
          check, layer, "switched off", "take it out of isolation: without in node.yaml");
    }
    return lack(layer, features)
        .map(why -> missing(check, layer, "missing: " + why, REMEDIES.get(layer)))
        .orElseGet(() -> Finding.ok(check, "there"));
  }

  private Finding missing(String check, String layer, String what, String remedy) {
    boolean accepted = policy.acceptMissing().contains(layer);
    return Finding.warn(
        check,
        what
            + (accepted
                ? "; node.yaml accepts it as missing: everybody is served without"
                : "; only the operator's own publishers are served"),
        remedy);
  }

  /** Why containers here cannot have it; empty if they can. */
  private Optional<String> lack(String layer, Map<String, String> features) {
    return switch (layer) {
      case "rules" -> probed("net", features).isEmpty() ? rules() : Optional.of(RESTS_ON_NET);
      case "java" -> Optional.empty();
      case "landlock" -> landlock(features);
      default -> probed(layer, features);
    };
  }

  private static Optional<String> probed(String layer, Map<String, String> features) {
    String value = features.getOrDefault(PREFIX + layer, "no:not probed");
    return value.equals("yes") ? Optional.empty() : Optional.of(value.replaceFirst("^no:", ""));
  }

  private static Optional<String> landlock(Map<String, String> features) {
    return probed("landlock", features)
        .map(why -> why + " (Landlock ABI " + features.getOrDefault("landlock-abi", "0") + ")");
  }

  /** Tries the kind of rule that bounds a container, in a network namespace that ends with it. */
  private Optional<String> rules() {
    Host.Run run =
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
